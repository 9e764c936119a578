import { Failure } from '../../failure.ts';
import { type Tape, type TapeEnd, wholeLines } from '../tape.ts';
import { unpacked } from '../unpacked.ts';
import type { Bucket } from './bucket.ts';
import { type Chunk, type Chunks, hashOf, type TapeId, type Watch } from './chunk.ts';

const chunksAtOnce = 16;
/** How often a reader polls that also gets hints. */
const slowLookMs = 1000;
const zstdMark = 0x28;

/** The part of a tape that can be read anywhere: what has been delivered. */
export type ReadableTape = Pick<Tape, 'name' | 'read' | 'follow' | 'size' | 'remove'>;

export interface ChunkTapeOptions {
  name: string;
  tape: TapeId;
  chunks: () => Promise<Chunks>;
  bucket: Bucket | undefined;
}

/** A tape in chunks: in the ledger's database, or in a bucket with its index there. */
export function chunkTape({ name, tape, chunks, bucket }: ChunkTapeOptions): ReadableTape {
  async function* bytes(after: number, more?: () => Promise<boolean>): AsyncGenerator<Uint8Array, TapeEnd> {
    const index = await chunks();
    // A reader that follows a run waits for its first chunk.
    if (more === undefined && (await index.size(tape)) === undefined)
      throw new Failure('input', `cannot read ${name}: it is not there`);
    const pace = new Pace(more, (onNews) => index.watch(tape, onNews));
    let last = after;
    let isWhole = false;
    try {
      for (;;) {
        const found = await index.after(tape, last, chunksAtOnce);
        for (const chunk of found) {
          // A reader that follows a run continues until its end is in the ledger, too.
          isWhole ||= chunk.ends;
          if (chunk.ends || chunk.to <= last) continue;
          const body = await bodyOf(chunk);
          if ('message' in body) return body;
          const end = yield* wholeLines(linesIn(body.bytes), chunk.from > last ? 0 : last);
          if (end.kind === 'broken') return end;
          last = chunk.to;
        }
        if (found.length < chunksAtOnce && !(await pace.wait())) return { kind: isWhole ? 'whole' : 'cut' };
      }
    } finally {
      pace.close();
    }
  }

  async function bodyOf(chunk: Chunk): Promise<{ bytes: Uint8Array } | Extract<TapeEnd, { kind: 'broken' }>> {
    const where = `records ${chunk.from} to ${chunk.to}`;
    const body = chunk.body ?? (await objectOf(chunk));
    if (body === undefined)
      return { kind: 'broken', message: `its ${where} are no longer in ${bucket?.place ?? 'the ledger'}` };
    return hashOf(body) === chunk.sha256
      ? { bytes: body }
      : { kind: 'broken', message: `its ${where} are not what was written` };
  }

  async function objectOf({ sha256, bytes: length }: Chunk): Promise<Uint8Array | undefined> {
    return bucket?.get(objectKey(tape, sha256), length);
  }

  return {
    name,
    read: (after = 0) => wholeLines(bytes(after)),
    follow: (more, after = 0) => wholeLines(bytes(after, more)),
    size: async () => (await chunks()).size(tape),
    /** Objects first: without the index their names would be lost. */
    async remove() {
      const index = await chunks();
      for (const hash of await index.hashes(tape)) await bucket?.remove(objectKey(tape, hash));
      await index.remove(tape);
    },
  };
}

/** Buckets are never listed: the name of an object is known only from the index. */
export function objectKey({ run, attempt }: TapeId, sha256: string): string {
  return `${run}/${attempt}/${sha256}`;
}

/** A record begins with `{`, a compressed chunk does not. */
async function* linesIn(body: Uint8Array): AsyncGenerator<Uint8Array, TapeEnd> {
  if (body[0] === zstdMark) return yield* unpacked(once(body), 'zst');
  yield body;
  return { kind: 'whole' };
}

async function* once(body: Uint8Array): AsyncGenerator<Uint8Array> {
  yield body;
}

/** When to poll again: at once after a hint, else as often as the reader asks, or less often if hints arrive. */
class Pace {
  readonly #more: (() => Promise<boolean>) | undefined;
  readonly #watch: Watch | undefined;
  #isAsked = false;
  #answer: boolean | undefined;
  #failure: unknown;
  #isHinted = false;
  #isOver = false;
  #wake = (): void => {};

  constructor(more: (() => Promise<boolean>) | undefined, watch: (onNews: () => void) => Watch) {
    this.#more = more;
    this.#watch =
      more === undefined
        ? undefined
        : watch(() => {
            this.#isHinted = true;
            this.#wake();
          });
  }

  /** False: everything has been read. */
  async wait(): Promise<boolean> {
    if (this.#more === undefined || this.#isOver) return false;
    const looked = performance.now();
    for (;;) {
      if (this.#isHinted) {
        this.#isHinted = false;
        return true;
      }
      this.#ask(this.#more);
      if (this.#answer === undefined && this.#failure === undefined)
        await new Promise<void>((resolve) => void (this.#wake = resolve));
      if (this.#failure !== undefined) throw this.#failure;
      if (this.#answer === undefined) continue;
      // Records that arrived between the last poll and the answer that nothing more comes are still read.
      this.#isOver = !this.#answer;
      this.#answer = undefined;
      if (this.#isOver || this.#watch?.isTrusted() !== true || performance.now() - looked > slowLookMs) return true;
    }
  }

  close(): void {
    this.#watch?.close();
  }

  #ask(more: () => Promise<boolean>): void {
    if (this.#isAsked) return;
    this.#isAsked = true;
    more()
      .then(
        (answer) => void (this.#answer = answer),
        (error: unknown) => void (this.#failure = error),
      )
      .finally(() => {
        this.#isAsked = false;
        this.#wake();
      });
  }
}
