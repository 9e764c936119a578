import { createReadStream } from 'node:fs';
import { appendFile, truncate } from 'node:fs/promises';
import { dirname } from 'node:path';
import { systemCode } from '../failure.ts';
import { makeFolder } from '../files/make-folder.ts';
import { type GrowingTape, sequenceOf } from './tape.ts';

const LF = 10;

/** A plain tape that can be continued, even by another process than the one that began it. Records are identified by sequence, and each is kept once. */
export class GrownTape implements GrowingTape {
  readonly #path: string;
  #last: number;
  #bytes: number;

  private constructor(path: string, last: number, bytes: number) {
    this.#path = path;
    this.#last = last;
    this.#bytes = bytes;
  }

  /** Removes a partial line that a kill left: it will be sent again. */
  static async open(path: string): Promise<GrownTape> {
    makeFolder(dirname(path));
    let last = 0;
    let whole = 0;
    let bytes = 0;
    let line: Uint8Array[] = [];
    try {
      for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
        const end = chunk.lastIndexOf(LF) + 1;
        if (end > 0) {
          const start = chunk.lastIndexOf(LF, end - 2) + 1;
          const ended = Buffer.concat(start > 0 ? [chunk.subarray(start, end)] : [...line, chunk.subarray(0, end)]);
          last = Math.max(last, sequenceOf(ended));
          whole = bytes + end;
          line = [];
        }
        line.push(chunk.subarray(end));
        bytes += chunk.length;
      }
    } catch (error) {
      if (systemCode(error) !== 'ENOENT') throw error;
    }
    if (whole < bytes) await truncate(path, whole);
    return new GrownTape(path, last, whole);
  }

  get lastSequence(): number {
    return this.#last;
  }

  get bytes(): number {
    return this.#bytes;
  }

  async append(lines: string, last: number): Promise<void> {
    await appendFile(this.#path, lines, { mode: 0o600 });
    this.#bytes += Buffer.byteLength(lines);
    this.#last = last;
  }

  /** A plain file has no end mark. */
  async end(): Promise<void> {}
}
