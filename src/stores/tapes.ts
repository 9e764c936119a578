import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib';
import type { EventRecord } from '../events/event.ts';

const defaultTapeBytes = 64 * 1024 * 1024;

/** Where a run's tape is in the tapes folder. */
export function tapePath(id: string, startedAt: number): string {
  const [year = '', month = ''] = new Date(startedAt).toISOString().split('-');
  return join(year, month, `${id}.tape.zst`);
}

export interface TapeOptions {
  /** Compressed; a tape that reaches it ends there. */
  maxBytes?: number;
  onTrouble: (message: string) => void;
}

/**
 * Every record of a run, a line each, in one zstd frame. What came in one turn of the event loop is flushed as blocks
 * of its own: a kill at any moment costs the lines of that turn, and leaves the rest readable.
 */
export class TapeWriter {
  readonly #path: string;
  readonly #maxBytes: number;
  readonly #onTrouble: (message: string) => void;
  readonly #compress = createZstdCompress();
  readonly #closed: Promise<void>;
  #file: number | undefined;
  #bytes = 0;
  #waiting = '';
  #flushing = false;
  #ended = false;

  constructor(path: string, { maxBytes = defaultTapeBytes, onTrouble }: TapeOptions) {
    this.#path = path;
    this.#maxBytes = maxBytes;
    this.#onTrouble = onTrouble;
    this.#closed = new Promise((resolve) => void this.#compress.once('close', resolve));
    this.#compress.on('data', (bytes: Buffer) => this.#write(bytes));
    this.#compress.on('error', (error) => this.#stop(error.message));
    try {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      this.#file = openSync(path, 'wx', 0o600);
    } catch (error) {
      this.#stop(error instanceof Error ? error.message : String(error));
    }
  }

  record(record: EventRecord): void {
    if (this.#file === undefined || this.#ended) return;
    const line = lineOf(record);
    if (line === undefined) return;
    this.#waiting += line;
    if (this.#flushing) return;
    this.#flushing = true;
    setImmediate(() => this.#flush());
  }

  /** Resolves when all of it is in the file. */
  end(): Promise<void> {
    if (!this.#ended) {
      this.#ended = true;
      if (!this.#flushing) this.#compress.end();
    }
    return this.#closed.then(() => this.#close());
  }

  /** Lines that come while the last ones are being compressed go together. */
  #flush(): void {
    if (this.#compress.destroyed) return;
    this.#compress.write(this.#waiting);
    this.#waiting = '';
    this.#compress.flush(constants.ZSTD_e_flush, () => {
      if (this.#waiting !== '') return this.#flush();
      this.#flushing = false;
      // Only now: ending with lines still to be compressed makes Node begin a second, empty frame.
      if (this.#ended && !this.#compress.destroyed) this.#compress.end();
    });
  }

  #write(bytes: Buffer): void {
    if (this.#file === undefined) return;
    try {
      for (let at = 0; at < bytes.length;) at += writeSync(this.#file, bytes, at);
      this.#bytes += bytes.length;
      if (this.#bytes >= this.#maxBytes) this.#stop(`it has reached ${this.#maxBytes} bytes`);
    } catch (error) {
      this.#stop(error instanceof Error ? error.message : String(error));
    }
  }

  #stop(why: string): void {
    this.#close();
    this.#waiting = '';
    this.#compress.destroy();
    this.#onTrouble(`the tape ${this.#path} stops here: ${why}`);
  }

  #close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }
}

function lineOf(record: EventRecord): string | undefined {
  try {
    return `${JSON.stringify(record)}\n`;
  } catch (error) {
    // JSON.parse reads any depth, JSON.stringify ends with the stack: one absurd record must not cost the tape.
    if (!(error instanceof RangeError)) throw error;
    return undefined;
  }
}

/** How the file of a tape ends; `cut` is what a kill, or a run that is still going on, leaves. */
export type TapeEnd = { kind: 'whole' } | { kind: 'cut' } | { kind: 'broken'; message: string };

/**
 * The bytes of a tape as far as they can be read. At the end of the file `more` is asked whether to look again: a run
 * that goes on writes there.
 */
export async function* readTape(path: string, more: () => Promise<boolean> = async () => false): AsyncGenerator<Uint8Array, TapeEnd> {
  const file = await open(path);
  const decompress = createZstdDecompress();
  let out: Uint8Array[] = [];
  let failure: Error | undefined;
  let whole = false;
  const closed = new Promise<void>((resolve) => void decompress.once('close', resolve));
  decompress.on('data', (bytes: Buffer) => void out.push(bytes));
  decompress.on('error', (error) => void (failure = error));
  decompress.on('end', () => void (whole = true));
  const take = (): Uint8Array[] => out.splice(0);
  try {
    const chunk = new Uint8Array(16 * 1024);
    for (;;) {
      const { bytesRead } = await file.read(chunk);
      if (bytesRead === 0) {
        if (await more()) continue;
        break;
      }
      await Promise.race([new Promise<void>((resolve) => void decompress.write(chunk.slice(0, bytesRead), () => resolve())), closed]);
      yield* take();
      if (failure !== undefined) return { kind: 'broken', message: messageOf(failure) };
    }
    decompress.end();
    await closed;
    yield* take();
    if (whole) return { kind: 'whole' };
    return failure === undefined || isCut(failure) ? { kind: 'cut' } : { kind: 'broken', message: messageOf(failure) };
  } finally {
    out = [];
    decompress.destroy();
    await file.close();
  }
}

function isCut(failure: Error): boolean {
  return 'code' in failure && failure.code === 'Z_BUF_ERROR';
}

function messageOf(failure: Error): string {
  return `it cannot be decompressed: ${failure.message}`;
}
