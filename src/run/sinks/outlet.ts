import type { Piece } from '../../events/record-json.ts';
import { Failure } from '../../failure.ts';
import type { Sink } from './sink.ts';

/** How many characters may wait for a slow reader before the agent's output has to wait too. */
const roomFor = 1 << 20;

/** The way to stdout: keeps the order, waits for a slow reader without holding up the run, and notices when the reader is gone. */
export class Outlet implements Sink {
  readonly #print: (pieces: readonly Piece[]) => Promise<void>;
  readonly #onClosed: (problem: Failure | undefined) => void;
  #waiting: (readonly Piece[])[] = [];
  #characters = 0;
  /** Settled when everything is handed over. */
  #pumping: PromiseWithResolvers<void> | undefined;
  #closed = false;
  #problem: Failure | undefined;
  #keep = (): void => {};

  /** `onClosed`: nothing more can be written, because of a problem, or because the reader is gone. */
  constructor(
    print: (pieces: readonly Piece[]) => Promise<void>,
    onClosed: (problem: Failure | undefined) => void = () => {},
  ) {
    this.#print = print;
    this.#onClosed = onClosed;
  }

  /** One text, or any number of its pieces, and how many characters they are. */
  write(text: string | readonly Piece[], characters = charactersIn(text)): void {
    if (this.#closed || characters === 0) return;
    this.#waiting.push(typeof text === 'string' ? [text] : text);
    this.#characters += characters;
    if (this.#pumping !== undefined) return;
    this.#pumping = Promise.withResolvers();
    void this.#pump(this.#pumping);
  }

  /** Whoever reads this may act on it: after a kill, nothing that was shown may be missing from where it is kept. */
  showAfter(keep: () => void): void {
    this.#keep = keep;
  }

  /** Characters that wait for the reader. */
  get unread(): number {
    return this.#characters;
  }

  /** Why something could not be written; a reader that went away is none. */
  get problem(): Failure | undefined {
    return this.#problem;
  }

  ready(): Promise<void> | undefined {
    return this.#characters > roomFor ? this.#pumping?.promise : undefined;
  }

  /** Settles when everything is handed over, or nobody wants it any more. */
  async close(): Promise<void> {
    await this.#pumping?.promise;
  }

  /** The reader is there but does not read: stop waiting for it. */
  giveUp(): void {
    this.#closed = true;
    this.#take();
    this.#pumping?.resolve();
  }

  async #pump(pumping: PromiseWithResolvers<void>): Promise<void> {
    try {
      while (this.#waiting.length > 0) {
        this.#keep();
        await this.#print(this.#take());
      }
    } catch (error) {
      this.#closed = true;
      this.#take();
      if (error instanceof Failure) this.#problem = error;
      this.#onClosed(this.#problem);
    } finally {
      this.#pumping = undefined;
      pumping.resolve();
    }
  }

  #take(): readonly Piece[] {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#characters = 0;
    // Nearly always one, so there is nothing to copy.
    return waiting.length === 1 ? (waiting[0] ?? []) : waiting.flat();
  }
}

function charactersIn(text: string | readonly Piece[]): number {
  return typeof text === 'string' ? text.length : text.reduce((sum, piece) => sum + piece.length, 0);
}
