import { closeSync, ftruncateSync, openSync, rmSync, writeSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import type { TapeEnd } from './tape.ts';

const endings = ['.tail0', '.tail1'] as const;
/** A tail begins with the place of its text in the unpacked tape, in digits. */
const headBytes = 16;

/** A file with a part of the unpacked tape, written as far as it was asked for. */
class Tail {
  readonly #path: string;
  #file: number | undefined;
  #place = 0;
  /** How many bytes of the part are in the file; 0: the file may still have an earlier part. */
  #bytes = 0;

  constructor(path: string) {
    this.#path = path;
  }

  begin(place: number): void {
    this.#place = place;
    this.#bytes = 0;
  }

  keep(part: Uint8Array): void {
    if (part.length === this.#bytes) return;
    this.#file ??= openSync(this.#path, 'w', 0o600);
    if (this.#bytes === 0) {
      ftruncateSync(this.#file);
      writeWhole(this.#file, Buffer.from(`${this.#place}\n`.padStart(headBytes)), 0);
    }
    writeWhole(this.#file, part.subarray(this.#bytes), headBytes + this.#bytes);
    this.#bytes = part.length;
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  remove(): void {
    if (this.#file !== undefined) rmSync(this.#path, { force: true });
    this.close();
  }
}

/**
 * The lines of a packed tape that are not through its compressor yet, as plain text in two files beside it: what the system
 * was given survives the process. A tape that is whole has no tails; one whose writer was killed may have them for good.
 */
export class TailWriter {
  #waiting: Tail;
  #other: Tail;
  /** What is being compressed; the other tail is for it. */
  #compressing: Uint8Array | undefined;
  #place = 0;

  constructor(path: string) {
    [this.#waiting, this.#other] = [new Tail(path + endings[0]), new Tail(path + endings[1])];
  }

  /** Writes what is not on the tape, including the lines that wait. Throws if that fails. */
  keep(waiting: Uint8Array): void {
    if (this.#compressing !== undefined) this.#other.keep(this.#compressing);
    this.#waiting.keep(waiting);
  }

  /** The lines that waited are being compressed; those before them are on the tape. */
  turn(lines: Uint8Array): void {
    this.#place += lines.length;
    this.#compressing = lines;
    [this.#waiting, this.#other] = [this.#other, this.#waiting];
    this.#waiting.begin(this.#place);
  }

  /** Everything is on the tape, except for lines that wait. */
  rest(): void {
    this.#compressing = undefined;
  }

  close(): void {
    this.#waiting.close();
    this.#other.close();
  }

  remove(): void {
    this.#waiting.remove();
    this.#other.remove();
  }
}

function writeWhole(file: number, bytes: Uint8Array, place: number): void {
  for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at, bytes.length - at, place + at);
}

/** An unpacked tape, and after the place where it is cut the text of its tails. */
export async function* withTails(
  unpacked: AsyncGenerator<Uint8Array, TapeEnd>,
  path: string,
): AsyncGenerator<Uint8Array, TapeEnd> {
  let length = 0;
  try {
    for (;;) {
      const next = await unpacked.next();
      if (next.done === true) {
        // An empty file is whole to its decompressor.
        if (next.value.kind === 'broken' || (next.value.kind === 'whole' && length > 0)) return next.value;
        yield* textAfter(length, path);
        return next.value;
      }
      length += next.value.length;
      yield next.value;
    }
  } finally {
    await unpacked.return({ kind: 'cut' });
  }
}

async function* textAfter(length: number, path: string): AsyncGenerator<Uint8Array, void> {
  const tails = (await Promise.all(tailsOf(path).map(readTail))).filter((tail) => tail !== undefined);
  let end = length;
  for (const { place, text } of tails.toSorted((a, b) => a.place - b.place)) {
    // What is further back is on the tape; what is further on follows lines that are there by now, but were not when it was read.
    if (place > end || place + text.length <= end) continue;
    yield text.subarray(end - place);
    end = place + text.length;
  }
}

/** Undefined: there is none, or its writer, which is alive, has just begun it anew. */
async function readTail(path: string): Promise<{ place: number; text: Uint8Array } | undefined> {
  const file = await open(path).catch(() => undefined);
  try {
    const bytes = await file?.readFile();
    const head = bytes?.toString('latin1', 0, headBytes);
    if (file === undefined || bytes === undefined || !/^ *\d+\n$/.test(head ?? '')) return undefined;
    const { buffer } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0);
    return buffer.toString('latin1') === head ? { place: Number(head), text: bytes.subarray(headBytes) } : undefined;
  } finally {
    await file?.close();
  }
}

export function tailsOf(path: string): string[] {
  return endings.map((ending) => path + ending);
}

export async function removeTails(path: string): Promise<void> {
  await Promise.all(tailsOf(path).map((tail) => rm(tail, { force: true })));
}
