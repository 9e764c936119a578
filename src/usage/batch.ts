import { crc32 } from 'node:zlib';
import { parseJson } from '../json/parse.ts';
import { isObject, list } from '../json/read.ts';
import { Calls, width } from './calls.ts';
import type { StoreFile } from './find-files.ts';
import type { FileNotes, FileUsage } from './read/file.ts';
import type { Session } from './read/format.ts';

/** What a file was when it was counted, and what was counted in it. */
export interface Known extends Omit<StoreFile, 'bornMs'> {
  usage: FileUsage;
}

/** Raised when a format is read differently, or anything here means something else: what an older version counted is then counted again. */
const version = 3;
const name = 'rwu';
/** Name and version, then the bytes of the texts, of the states, of the figures and of the rows, and a hash of all these. */
const headBytes = 24;
const wordBytes = 8;
/** Figures of each file: agent, format, inode, size, time, offset, mark, pending, damaged, calls, bytes of its state. */
const figures = 11;
/** A batch with more rows ends: a thread and the index hold whole batches. */
const mostRows = 32_768;

interface Texts {
  words: string[];
  paths: string[];
  sessions: (readonly Session[])[];
}

/**
 * What was counted in many files, in one piece of memory: a thread hands it over as it is, the index keeps it as it is, and it is read by looking
 * into it.
 */
export class BatchWriter {
  #calls = new Calls();
  readonly #texts: Texts = { words: this.#calls.words, paths: [], sessions: [] };
  readonly #states: string[] = [];
  readonly #figures: number[] = [];

  get isFull(): boolean {
    return this.#calls.rows.length >= mostRows * width;
  }

  get isEmpty(): boolean {
    return this.#states.length === 0;
  }

  /** `count` adds the calls of the file; when it throws, nothing stays of them. */
  add(file: Omit<Known, 'usage'>, count: (calls: Calls) => FileNotes): void {
    const calls = this.#calls;
    const before = calls.rows.length;
    let notes: FileNotes;
    try {
      notes = count(calls);
    } catch (error) {
      if (calls.rows.length > before) calls.undo();
      throw error;
    }
    const { path, agent, format, inode, size, mtimeMs } = file;
    const { sessions, offset, mark, pending, damaged, state } = notes;
    this.#texts.paths.push(path);
    this.#texts.sessions.push(sessions);
    this.#states.push(state);
    const words = [calls.placeOf(agent), calls.placeOf(format)];
    const numbers = [inode, size, mtimeMs, offset, mark, pending, damaged];
    this.#figures.push(...words, ...numbers, calls.count, Buffer.byteLength(state));
  }

  finish(): Uint8Array<ArrayBuffer> {
    const texts = padded(JSON.stringify(this.#texts));
    const states = padded(this.#states.join(''));
    const numbers = bytesOf(new Float64Array(this.#figures));
    const rows = bytesOf(this.#calls.rows);
    const parts = [texts, states, numbers, rows];
    const whole = Buffer.alloc(headBytes + parts.reduce((sum, { length }) => sum + length, 0));
    whole.write(name);
    whole.writeUInt8(version, name.length);
    for (const [index, { length }] of parts.entries()) whole.writeUInt32LE(length, 4 + index * 4);
    let at = headBytes;
    for (const part of parts) {
      whole.set(part, at);
      at += part.length;
    }
    whole.writeUInt32LE(crc32(whole.subarray(headBytes), crc32(whole.subarray(0, headBytes - 4))), headBytes - 4);
    return new Uint8Array(whole.buffer as ArrayBuffer, whole.byteOffset, whole.length);
  }
}

/** Rows must begin where numbers may begin. */
function padded(text: string): Uint8Array {
  const length = Buffer.byteLength(text);
  const bytes = Buffer.alloc(Math.ceil(length / wordBytes) * wordBytes, ' ');
  bytes.write(text);
  return bytes;
}

function bytesOf(numbers: Float64Array): Uint8Array {
  return new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
}

/** `cut`: it does not end, since it is being written or was not written to its end; `other`: by another version; `damaged`: by nobody. */
export type Flaw = 'cut' | 'other' | 'damaged';

export interface Batches {
  known: Known[];
  flaw: Flaw | undefined;
}

/** What stands in batches that follow each other, up to the first that is not as it was written. `bytes` must begin where numbers may begin. */
export function readBatches(bytes: Uint8Array<ArrayBuffer>): Batches {
  const known: Known[] = [];
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = 0; at < buffer.length;) {
    const left = buffer.length - at;
    if (buffer.toString('latin1', at, at + name.length) !== name.slice(0, left)) return { known, flaw: 'damaged' };
    if (left > name.length && buffer[at + name.length] !== version) return { known, flaw: 'other' };
    if (left < headBytes) return { known, flaw: 'cut' };
    const lengths = [4, 8, 12, 16].map((place) => buffer.readUInt32LE(at + place));
    const begin = at + headBytes;
    const end = lengths.reduce((sum, length) => sum + length, begin);
    if (end > buffer.length) return { known, flaw: 'cut' };
    const check = crc32(buffer.subarray(begin, end), crc32(buffer.subarray(at, begin - 4)));
    if (check !== buffer.readUInt32LE(begin - 4)) return { known, flaw: 'damaged' };
    readBatch(buffer, begin, lengths, known);
    at = end;
  }
  return { known, flaw: undefined };
}

function readBatch(
  buffer: Buffer<ArrayBuffer>,
  begin: number,
  [texts = 0, states = 0, numbers = 0, rows = 0]: readonly number[],
  known: Known[],
): void {
  const { words, paths, sessions } = textsIn(buffer.toString('utf8', begin, begin + texts));
  let stateAt = begin + texts;
  const place = buffer.byteOffset + stateAt + states;
  const figure = new Float64Array(buffer.buffer, place, numbers / wordBytes);
  const all = new Float64Array(buffer.buffer, place + numbers, rows / wordBytes);
  let rowAt = 0;
  for (const [index, path] of paths.entries()) {
    const at = index * figures;
    const of = (field: number): number => figure[at + field] ?? 0;
    const [from, until] = [stateAt, (stateAt += of(10))];
    known.push({
      path,
      agent: words[of(0)] ?? '',
      format: words[of(1)] ?? '',
      inode: of(2),
      size: of(3),
      mtimeMs: of(4),
      usage: new KeptUsage(buffer, from, until, {
        words,
        sessions: sessions[index] ?? [],
        rows: all.subarray(rowAt, (rowAt += of(9) * width)),
        offset: of(5),
        mark: of(6),
        pending: of(7),
        damaged: of(8),
      }),
    });
  }
}

/** What a batch says of a file. */
class KeptUsage implements FileUsage {
  readonly words: readonly string[];
  readonly sessions: readonly Session[];
  readonly rows: Float64Array<ArrayBuffer>;
  readonly offset: number;
  readonly mark: number;
  readonly pending: number;
  readonly damaged: number;
  readonly #bytes: Buffer;
  readonly #from: number;
  readonly #until: number;

  constructor(bytes: Buffer, from: number, until: number, usage: Omit<FileUsage, 'state'>) {
    this.words = usage.words;
    this.sessions = usage.sessions;
    this.rows = usage.rows;
    this.offset = usage.offset;
    this.mark = usage.mark;
    this.pending = usage.pending;
    this.damaged = usage.damaged;
    this.#bytes = bytes;
    this.#from = from;
    this.#until = until;
  }

  /** Hardly anybody asks for it: only a file that has grown is read on. */
  get state(): string {
    return this.#bytes.toString('utf8', this.#from, this.#until);
  }
}

function textsIn(text: string): Texts {
  const value = parseJson(text);
  const { words, paths, sessions } = isObject(value) ? value : {};
  return {
    words: list(words) as string[],
    paths: list(paths) as string[],
    sessions: list(sessions) as unknown as Session[][],
  };
}
