import { messageOf } from '../../failure.ts';
import { sequenceOf, type Tape, type TapeEnd } from '../tape.ts';
import type { Bucket } from './bucket.ts';
import { type Chunk, type Chunks, endAfter, pack, type TapeId } from './chunk.ts';
import { objectKey } from './chunk-tape.ts';

type Packed = Chunk & { body: Uint8Array };

/** Where the chunks of a tape go, and how large they are. */
export interface Target {
  /** How long lines wait for others to be sent with them. */
  everyMs: number;
  /** The size at which they are sent without waiting. */
  mostBytes: number;
  /** The last stored sequence. */
  last(): Promise<number>;
  /** The signal abandons it when nobody waits for it any longer. */
  put(chunk: Packed, abandoned: AbortSignal): Promise<void>;
  end(chunk: Packed): Promise<void>;
}

/** Delivers often, since this is how a run is seen live on other machines. */
export function databaseTarget(chunks: () => Promise<Chunks>, tape: TapeId, place: string): Target {
  const add = async (chunk: Packed): Promise<void> => (await chunks()).add(tape, place, chunk);
  return {
    everyMs: 50,
    mostBytes: 1024 * 1024,
    last: async () => (await chunks()).last(tape, false),
    put: add,
    end: add,
  };
}

/** Delivers seldom: every object costs one request to write and one to read. An object is stored before the index names it. */
export function bucketTarget(
  chunks: () => Promise<Chunks>,
  tape: TapeId,
  bucket: Bucket,
  { everyMs }: { everyMs: number },
): Target {
  return {
    everyMs,
    mostBytes: 4 * 1024 * 1024,
    last: async () => (await chunks()).last(tape, true),
    async put(chunk, abandoned) {
      await bucket.put(objectKey(tape, chunk.sha256), chunk.body, abandoned);
      await (await chunks()).stored(tape, bucket.place, chunk);
    },
    end: async (chunk) => (await chunks()).add(tape, bucket.place, chunk),
  };
}

const lineEnd = 10;
const settlingMs = 5000;
const lookMs = 250;
const firstRetryMs = 500;
const lastRetryMs = 15_000;

/**
 * Delivers a tape from this machine to where it is kept, while it is written and afterwards. It reads the file, so that an
 * unreachable server costs no memory; one chunk is on its way at a time.
 */
export class Delivery {
  readonly #local: Tape;
  readonly #target: Target;
  readonly #stopped = new AbortController();
  readonly #done: Promise<TapeEnd | undefined>;
  #held: Uint8Array[] = [];
  #heldBytes = 0;
  #heldSince = 0;
  #last = 0;
  #trouble: string | undefined;
  #newsAt = -Infinity;
  #hasEnded = false;
  /** Whether the file was read once more since the run ended. */
  #sawEnd = false;
  #wake = (): void => {};

  constructor(local: Tape, target: Target) {
    this.#local = local;
    this.#target = target;
    this.#done = this.#deliver().catch((error: unknown) => {
      this.#trouble = messageOf(error);
      return undefined;
    });
  }

  /** Called when more is on the tape. */
  news(): void {
    this.#newsAt = performance.now();
    // Lines that already wait for more to be sent with them need no wake-up.
    if (this.#heldBytes === 0) this.#wake();
  }

  /** Called when nothing more comes. Returns how the tape ended, if all of it was delivered; undefined: not all of it was delivered in time. */
  async end(patienceMs: number): Promise<TapeEnd | undefined> {
    this.#hasEnded = true;
    this.#wake();
    const late = Promise.withResolvers<undefined>();
    const timer = setTimeout(() => late.resolve(undefined), patienceMs);
    try {
      // A request under way may take longer than the caller waits.
      return await Promise.race([this.#done, late.promise]);
    } finally {
      clearTimeout(timer);
      this.#stopped.abort();
      this.#wake();
    }
  }

  /** Why the last attempt to deliver failed. */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  async #deliver(): Promise<TapeEnd | undefined> {
    await this.#patiently(async () => void (this.#last = await this.#target.last()));
    const lines = this.#local.follow(() => this.#more(), this.#last);
    try {
      for (;;) {
        const next = await lines.next();
        if (this.#stopped.signal.aborted) return undefined;
        if (next.done === true) return await this.#finish(next.value);
        if (this.#heldBytes === 0) this.#heldSince = performance.now();
        // A copy, because the file reader reuses its buffer.
        this.#held.push(new Uint8Array(next.value));
        this.#heldBytes += next.value.length;
        if (this.#heldBytes >= this.#target.mostBytes) await this.#flush();
      }
    } finally {
      await lines.return({ kind: 'cut' });
    }
  }

  async #finish(end: TapeEnd): Promise<TapeEnd | undefined> {
    await this.#flush();
    if (end.kind === 'whole') await this.#patiently(() => this.#target.end(endAfter(this.#last)));
    return this.#stopped.signal.aborted ? undefined : end;
  }

  /** Called at the end of the file: sends what is due, or waits for more lines. */
  async #more(): Promise<boolean> {
    if (this.#stopped.signal.aborted) return false;
    const { everyMs } = this.#target;
    // A very long line comes in parts.
    const isWhole = this.#held.at(-1)?.at(-1) === lineEnd;
    const wait = this.#heldSince + everyMs - performance.now();
    if (isWhole && (wait <= 0 || this.#hasEnded)) await this.#flush();
    else if (this.#sawEnd) return false;
    else if (this.#hasEnded) this.#sawEnd = true;
    // A record is in the file a moment after it was recorded.
    else
      await this.#sleep(
        isWhole ? wait : performance.now() - this.#newsAt < settlingMs ? Math.min(everyMs / 2, lookMs) : undefined,
      );
    return true;
  }

  async #flush(): Promise<void> {
    if (this.#held.at(-1)?.at(-1) !== lineEnd) return;
    const lines = Buffer.concat(this.#held);
    this.#held = [];
    this.#heldBytes = 0;
    const last = sequenceOf(lines.subarray(lines.lastIndexOf(lineEnd, lines.length - 2) + 1));
    const from = Math.max(this.#last + 1, sequenceOf(lines.subarray(0, lines.indexOf(lineEnd) + 1)));
    const chunk = await pack(lines, from, Math.max(from, last));
    await this.#patiently(() => this.#target.put(chunk, this.#stopped.signal));
    this.#last = chunk.to;
  }

  /** Retries until it succeeds or nobody waits any longer. */
  async #patiently(work: () => Promise<void>): Promise<void> {
    for (let delay = firstRetryMs; !this.#stopped.signal.aborted; delay = Math.min(delay * 2, lastRetryMs)) {
      try {
        await work();
        this.#trouble = undefined;
        return;
      } catch (error) {
        this.#trouble = messageOf(error);
        const until = performance.now() + delay;
        // At the end of the run somebody waits for this, so it is retried often.
        while (!this.#stopped.signal.aborted && performance.now() < until) {
          await this.#sleep(
            this.#hasEnded ? Math.min(firstRetryMs, until - performance.now()) : until - performance.now(),
          );
          if (this.#hasEnded) break;
        }
      }
    }
  }

  /** Sleeps, at most `ms` if given; news and the end of the run wake it. */
  async #sleep(ms?: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = ms === undefined ? undefined : setTimeout(resolve, Math.max(0, ms));
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = () => {};
  }
}
