import type { Hash } from 'node:crypto';
import { closeSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import type { ZstdCompress } from 'node:zlib';
import type { EventRecord } from '../events/event.ts';
import { type RecordLine, recordLine } from '../events/record-json.ts';
import { Failure, messageOf } from '../failure.ts';
import { bytesOf, encodePiece, mostBytes } from './encode-pieces.ts';
import { makeFolder } from '../files/make-folder.ts';
import { TailWriter } from './tape-tail.ts';
import type { TapeOptions, TapeWriter } from './tape.ts';
import { tapeParams, zlib } from './zlib.ts';

const defaultPackedBytes = 64 * 1024 * 1024;

/** A file that is written synchronously, until writing fails or the limit is reached. A new file is readable only by its user. */
class BoundedFile {
  readonly #path: string;
  readonly #maxBytes: number;
  readonly #onTrouble: (message: string) => void;
  #file: number | undefined;
  #bytes = 0;
  /** Unset: it was not asked for, or it is no longer known how much was written. */
  #hash: (() => Hash) | undefined;

  constructor(path: string, flags: 'w' | 'wx', { maxBytes = Infinity, onTrouble }: TapeOptions) {
    this.#path = path;
    this.#maxBytes = maxBytes;
    this.#onTrouble = onTrouble;
    try {
      if (flags === 'wx') makeFolder(dirname(path));
      this.#file = openSync(path, flags, 0o600);
    } catch (error) {
      throw new Failure('output', `cannot write ${path}: ${messageOf(error)}`, { cause: error });
    }
  }

  /** Starts to hash everything that is written. */
  beginHash(): void {
    let hash: Hash | undefined;
    // Created with the first bytes, so that a run does not wait for the crypto library before its first line.
    this.#hash = () => (hash ??= process.getBuiltinModule('node:crypto').createHash('sha256'));
  }

  get digest(): string | undefined {
    return this.#hash?.().copy().digest('hex');
  }

  get isOpen(): boolean {
    return this.#file !== undefined;
  }

  write(bytes: Uint8Array): void {
    if (this.#file === undefined) return;
    try {
      for (let at = 0; at < bytes.length;) at += writeSync(this.#file, bytes, at);
      this.#bytes += bytes.length;
      this.#hash?.().update(bytes);
      if (this.#bytes >= this.#maxBytes) this.stop(`it has reached ${this.#maxBytes} bytes`);
    } catch (error) {
      this.fail(error);
    }
  }

  /** It is no longer known what is stored. */
  fail(error: unknown): void {
    this.#hash = undefined;
    this.stop(messageOf(error));
  }

  /** A full disk must not end the run; the tape stops and reports it. */
  stop(why: string): void {
    if (this.#file === undefined) return;
    this.close();
    this.#onTrouble(`the tape ${this.#path} stops here: ${why}`);
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }
}

/** Every record is in the file when `record` returns: after a kill, everything recorded before is there. Replaces an existing file. */
export class PlainWriter implements TapeWriter {
  readonly #file: BoundedFile;

  constructor(path: string, options: TapeOptions) {
    this.#file = new BoundedFile(path, 'w', options);
  }

  record(record: EventRecord): void {
    const line = this.#file.isOpen ? recordLine(record) : undefined;
    if (line !== undefined) this.#file.write(bytesOf([line]));
  }

  async end(): Promise<void> {
    this.#file.close();
  }
}

const linesAtFirst = 256 * 1024;
const mostKept = 4 * 1024 * 1024;

/** Lines as bytes, each encoded once: joined as text, a long burst is copied several times before it is encoded. */
class Lines {
  #bytes = Buffer.allocUnsafeSlow(linesAtFirst);
  /** Filled while the bytes taken last are still in use. */
  #other = Buffer.allocUnsafeSlow(linesAtFirst);
  #length = 0;

  get size(): number {
    return this.#length;
  }

  /** The bytes added so far, valid until the next call of anything here. */
  get added(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  add(line: RecordLine): void {
    const most = this.#length + mostBytes(line);
    if (most > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(most, this.#bytes.length * 2));
      this.#bytes.copy(larger, 0, 0, this.#length);
      this.#bytes = larger;
    }
    this.#length = encodePiece(line, this.#bytes, this.#length);
  }

  /** The bytes added so far, valid until the next call. */
  take(): Uint8Array {
    const taken = this.added;
    // A buffer that one burst made large is not kept.
    [this.#bytes, this.#other] = [
      this.#other,
      this.#bytes.length > mostKept ? Buffer.allocUnsafeSlow(linesAtFirst) : this.#bytes,
    ];
    this.#length = 0;
    return taken;
  }
}

/**
 * One zstd frame, in a new file. The lines of one turn of the event loop are flushed as separate blocks, so that it is readable up
 * to any moment; lines that must not wait for the compressor are kept beside it until then.
 */
export class PackedWriter implements TapeWriter {
  readonly #file: BoundedFile;
  #made: ZstdCompress | undefined;
  readonly #closed = Promise.withResolvers<void>();
  readonly #waiting = new Lines();
  readonly #tail: TailWriter;
  #flushing = false;
  #ended = false;

  constructor(path: string, { maxBytes = defaultPackedBytes, onTrouble }: TapeOptions) {
    this.#file = new BoundedFile(path, 'wx', { maxBytes, onTrouble });
    this.#file.beginHash();
    this.#tail = new TailWriter(path);
  }

  get #compress(): ZstdCompress {
    return (this.#made ??= this.#make());
  }

  #make(): ZstdCompress {
    const compress = zlib().createZstdCompress({ params: tapeParams() });
    compress.once('close', this.#closed.resolve);
    compress.on('data', (bytes: Buffer) => {
      this.#file.write(bytes);
      if (!this.#file.isOpen) compress.destroy();
    });
    compress.on('error', (error) => this.#file.stop(error.message));
    return compress;
  }

  record(record: EventRecord): void {
    const line = this.#file.isOpen && !this.#ended ? recordLine(record) : undefined;
    if (line === undefined) return;
    this.#waiting.add(line);
    if (this.#flushing) return;
    this.#flushing = true;
    setImmediate(() => this.#flush());
  }

  keep(): void {
    if (!this.#file.isOpen) return;
    try {
      this.#tail.keep(this.#waiting.added);
    } catch (error) {
      this.#file.fail(error);
    }
  }

  end(): Promise<string | undefined> {
    if (!this.#ended) {
      this.#ended = true;
      if (!this.#flushing) this.#compress.end();
    }
    return this.#closed.promise.then(() => {
      this.#file.close();
      const { digest } = this.#file;
      // A tape that could not be written goes on in its tails.
      if (digest === undefined) this.#tail.close();
      else this.#tail.remove();
      return digest;
    });
  }

  /** Lines that arrive while the last ones are being compressed are written together. */
  #flush(): void {
    const lines = this.#waiting.take();
    if (this.#compress.destroyed) return;
    this.#tail.turn(lines);
    this.#compress.write(lines);
    this.#compress.flush(zlib().constants.ZSTD_e_flush, () => {
      // What the stream has not handed over yet is written now.
      while (this.#compress.readableLength > 0 && this.#compress.read() !== null);
      this.#tail.rest();
      if (this.#waiting.size > 0) return this.#flush();
      this.#flushing = false;
      // Only now: ending with lines still to be compressed makes Node begin a second, empty frame.
      if (this.#ended && !this.#compress.destroyed) this.#compress.end();
    });
  }
}
