import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import type { Json } from '../../json/json.ts';
import { messageOf } from '../../failure.ts';
import { Calls } from '../calls.ts';
import type { FileFacts, Found, Format, LineFormat, Session } from './format.ts';

/** What a file holds, as far as it was read; enough to go on from there when it has grown. */
export interface FileUsage {
  sessions: readonly Session[];
  words: readonly string[];
  rows: Float64Array<ArrayBuffer>;
  /** How many of the last calls are of what may still change: they are read again. */
  pending: number;
  /** Up to where it was read for good. */
  offset: number;
  /** Of the bytes before that place: whether a larger file begins with what was read. */
  mark: string;
  state: Json;
  /** Lines that could not be read. */
  damaged: number;
}

/** How a file is identified before it is opened. */
export interface FileStamp {
  inode: number;
  size: number;
  mtimeMs: number;
}

const chunkBytes = 1024 * 1024;
/** A longer line is not read. */
const longestLine = 32 * 1024 * 1024;
const markBytes = 256;
const newline = 10;

/** Reads a file, or what was added to it since `known`. Throws what the system says when it cannot be read. */
export function readUsage(path: string, format: Format, known?: FileUsage): FileUsage {
  const file = openSync(path, 'r');
  try {
    const { mtimeMs, size } = fstatSync(file);
    const facts = { path, at: mtimeMs };
    if (format.kind === 'whole') return readWhole(facts, format.read);
    if (/\.(?:gz|zst)$/.test(path)) return readPacked(facts, format);
    const isGrown = known !== undefined && known.offset <= size && markBefore(file, known.offset) === known.mark;
    return new FileReading(facts, format, isGrown ? known : undefined).read(file, size);
  } finally {
    closeSync(file);
  }
}

/** Notes the sessions and calls of a file. */
class Finds implements Found {
  readonly sessions: Session[];
  readonly calls: Calls;
  damagedCount: number;
  readonly #places = new Map<string, number>();
  readonly #at: number;

  constructor({ at }: FileFacts, known?: FileUsage) {
    this.#at = at;
    this.sessions = [...(known?.sessions ?? [])];
    this.calls = new Calls(known?.rows, known?.words);
    this.damagedCount = known?.damaged ?? 0;
    for (const [place, each] of this.sessions.entries()) this.#places.set(keyOf(each), place);
    this.calls.cut(this.calls.count - (known?.pending ?? 0));
  }

  session(session: Session): number {
    const key = keyOf(session);
    const known = this.#places.get(key);
    if (known !== undefined) return known;
    const place = this.sessions.push(session) - 1;
    this.#places.set(key, place);
    return place;
  }

  call(call: Parameters<Found['call']>[0]): void {
    this.calls.add(call.at === undefined ? { ...call, at: this.#at } : call);
  }

  damaged(): void {
    this.damagedCount += 1;
  }

  usage(rest: Pick<FileUsage, 'pending' | 'offset' | 'mark' | 'state'>): FileUsage {
    const { sessions, calls, damagedCount: damaged } = this;
    return { sessions, words: calls.words, rows: calls.finished(), damaged, ...rest };
  }
}

function keyOf({ id, subAgent = '' }: Session): string {
  return `${id}\n${subAgent}`;
}

function readWhole(facts: FileFacts, read: (file: FileFacts, found: Found) => void): FileUsage {
  const finds = new Finds(facts);
  try {
    read(facts, finds);
  } catch (error) {
    throw new Error(messageOf(error), { cause: error });
  }
  return finds.usage({ pending: 0, offset: 0, mark: '', state: null });
}

/** Compressed: nothing can be added to it. */
function readPacked(facts: FileFacts, format: LineFormat): FileUsage {
  const { gunzipSync, zstdDecompressSync } = process.getBuiltinModule('node:zlib');
  const packed = readFileSync(facts.path);
  const bytes = facts.path.endsWith('.gz') ? gunzipSync(packed) : zstdDecompressSync(packed);
  return new FileReading(facts, format).readBytes(bytes);
}

/** Shared by all files that a thread reads, one after the other. */
let buffer: Buffer | undefined;

class FileReading {
  readonly #finds: Finds;
  readonly #reader: ReturnType<LineFormat['reader']>;
  readonly #marks: readonly Buffer[];
  readonly #lastMarks: readonly Buffer[];
  #offset: number;
  /** What stands before that place, as far as it was read in one piece. */
  #before: Buffer | undefined;

  constructor(facts: FileFacts, format: LineFormat, known?: FileUsage) {
    this.#finds = new Finds(facts, known);
    this.#reader = format.reader(facts, this.#finds, known?.state);
    this.#marks = format.marks.map((mark) => Buffer.from(mark));
    this.#lastMarks = (format.lastMarks ?? []).map((mark) => Buffer.from(mark));
    this.#offset = known?.offset ?? 0;
  }

  /** `size`: what is added meanwhile is read the next time. */
  read(file: number, size: number): FileUsage {
    let bytes = (buffer ??= Buffer.allocUnsafeSlow(chunkBytes));
    let held = 0;
    let isSkipping = false;
    while (this.#offset + held < size) {
      const count = readSync(file, bytes, held, bytes.length - held, this.#offset + held);
      if (count === 0) break;
      const length = held + count;
      const end = bytes.lastIndexOf(newline, length - 1) + 1;
      if (end === 0) {
        held = length;
        if (held < bytes.length) continue;
        if (bytes.length < longestLine) {
          const larger = Buffer.allocUnsafeSlow(bytes.length * 2);
          bytes.copy(larger, 0, 0, held);
          bytes = larger;
          continue;
        }
        if (!isSkipping) this.#finds.damaged();
        isSkipping = true;
        this.#offset += held;
        held = 0;
        continue;
      }
      // What is left of a line that was too long.
      const start = isSkipping ? bytes.indexOf(newline) + 1 : 0;
      isSkipping = false;
      this.#lines(bytes, start, end);
      this.#offset += end;
      this.#before = end < markBytes ? undefined : Buffer.from(bytes.subarray(end - markBytes, end));
      held = length - end;
      bytes.copy(bytes, 0, end, length);
    }
    const usage = this.#finish(isSkipping ? Buffer.alloc(0) : bytes.subarray(0, held));
    return {
      ...usage,
      offset: this.#offset,
      mark: this.#before === undefined ? markBefore(file, this.#offset) : markOf(this.#before),
    };
  }

  readBytes(bytes: Buffer): FileUsage {
    const end = bytes.lastIndexOf(newline) + 1;
    this.#lines(bytes, 0, end);
    return this.#finish(bytes.subarray(end));
  }

  /** `rest`: what stands behind the last line break; it counts if it is a whole line, but is read again when the file has grown. */
  #finish(rest: Buffer): FileUsage {
    const { calls, damagedCount } = this.#finds;
    const { count } = calls;
    const { state } = this.#reader;
    const marks = [...this.#marks, ...this.#lastMarks];
    if (rest.length > 0 && (this.#reader.wantsAll || marks.some((mark) => rest.includes(mark))))
      this.#reader.line(rest, 0, rest.length);
    this.#finds.damagedCount = damagedCount;
    this.#reader.end();
    return this.#finds.usage({ pending: calls.count - count, offset: 0, mark: '', state });
  }

  #lines(bytes: Buffer, start: number, end: number): void {
    let at = start;
    while (at < end && this.#reader.wantsAll) {
      const lineEnd = bytes.indexOf(newline, at);
      if (lineEnd > at) this.#reader.line(bytes, at, lineEnd);
      at = lineEnd + 1;
    }
    if (at >= end) return;
    const whole = bytes.subarray(0, end);
    const behind = this.#marked(whole, at, this.#marks);
    if (this.#lastMarks.length > 0 && behind < end) this.#marked(whole, behind, this.#lastMarks);
  }

  /** Only the lines with a mark; returns where the last of them ends. */
  #marked(bytes: Buffer, start: number, marks: readonly Buffer[]): number {
    const next = marks.map((mark) => nextOf(bytes, mark, start));
    let end = start;
    for (;;) {
      const place = Math.min(...next);
      if (place === Infinity) return end;
      const lineStart = bytes.lastIndexOf(newline, place) + 1;
      const lineEnd = bytes.indexOf(newline, place);
      this.#reader.line(bytes, Math.max(lineStart, start), lineEnd);
      end = lineEnd + 1;
      for (const [index, mark] of marks.entries())
        if ((next[index] ?? Infinity) < lineEnd) next[index] = nextOf(bytes, mark, lineEnd + 1);
    }
  }
}

function nextOf(bytes: Buffer, mark: Buffer, from: number): number {
  const place = bytes.indexOf(mark, from);
  return place === -1 ? Infinity : place;
}

/** A hash of the bytes before a place in a file. */
function markBefore(file: number, offset: number): string {
  const length = Math.min(markBytes, offset);
  const bytes = Buffer.alloc(length);
  if (length > 0) readSync(file, bytes, 0, length, offset - length);
  return markOf(bytes);
}

function markOf(bytes: Buffer): string {
  return `${bytes.length}:${process.getBuiltinModule('node:zlib').crc32(bytes)}`;
}
