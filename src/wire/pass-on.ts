import type { IncomingMessage, ServerResponse } from 'node:http';

type See = (chunk: Buffer) => Promise<void> | undefined;

/** A chunk that is worth a write of its own. */
const large = 8 * 1024;

/**
 * Passes the body of an answer on as it comes, as fast as it is taken, and resolves when the agent has all of it.
 * `see` is shown what passes; while what it returns is pending, no more comes. Rejects when either side breaks off, after what came before has gone out.
 */
export async function passOn(answer: IncomingMessage, response: ServerResponse, see: See): Promise<void> {
  const passage = new BodyPassage(answer, response, see);
  try {
    await passage.ended;
  } finally {
    // A connection that is closed at once would lose what is still on its way.
    await passage.flushed();
  }
  await new Promise<void>((resolve) => response.end(resolve).once('close', resolve));
  if (!response.writableFinished) throw new Error('the agent left');
}

class BodyPassage {
  readonly ended: Promise<void>;
  readonly #answer: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #see: See;
  /** What small chunks have come in this tick: they small chunks go on as one. */
  #pieces: Buffer[] = [];
  #unsent = 0;
  #onFlushed: (() => void) | undefined;

  constructor(answer: IncomingMessage, response: ServerResponse, see: See) {
    this.#answer = answer;
    this.#response = response;
    this.#see = see;
    this.ended = new Promise((resolve, reject) => {
      answer.on('end', resolve).on('error', reject);
      answer.on('close', () => reject(new Error('the answer was cut off')));
    });
    answer.on('data', (chunk: Buffer) => this.#take(chunk));
  }

  async flushed(): Promise<void> {
    this.#passPieces();
    if (this.#unsent > 0) await new Promise<void>((resolve) => (this.#onFlushed = resolve));
  }

  #take(chunk: Buffer): void {
    if (chunk.length >= large) {
      this.#passPieces();
      this.#pass(chunk);
    } else if (this.#pieces.push(chunk) === 1) process.nextTick(this.#passPieces);
  }

  readonly #passPieces = (): void => {
    const [first, ...more] = this.#pieces;
    if (first === undefined) return;
    this.#pieces = [];
    this.#pass(more.length === 0 ? first : Buffer.concat([first, ...more]));
  };

  #pass(chunk: Buffer): void {
    const held = this.#see(chunk);
    this.#unsent += 1;
    const isFull = !this.#response.write(chunk, this.#sent);
    if (!isFull && held === undefined) return;
    this.#answer.pause();
    const goOn = (): void => void this.#answer.resume();
    if (isFull) this.#response.once('drain', () => void (held === undefined ? goOn() : held.then(goOn)));
    else void held?.then(goOn);
  }

  readonly #sent = (): void => {
    this.#unsent -= 1;
    if (this.#unsent === 0) this.#onFlushed?.();
  };
}
