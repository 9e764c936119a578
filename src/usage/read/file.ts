import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import type { Json } from '../../json/json.ts';
import { parseJson } from '../../json/parse.ts';
import { messageOf } from '../../failure.ts';
import { type Calls, width } from '../calls.ts';
import type { FileFacts, Found, Format, LineFormat, Session } from './format.ts';

/** What is noted of a file beside its calls, as far as it was read; enough to go on from there when it has grown. */
export interface FileNotes {
  sessions: readonly Session[];
  /** How many of the last calls are of what may still change: they are read again. */
  pending: number;
  /** Up to where it was read for good. */
  offset: number;
  /** A hash of the bytes before that place: whether a larger file begins with what was read. */
  mark: number;
  /** What a reader must know of what came before, as JSON. */
  state: string;
  /** Lines that could not be read. */
  damaged: number;
}

/** What a file holds. */
export interface FileUsage extends FileNotes {
  words: readonly string[];
  rows: Float64Array<ArrayBuffer>;
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

/** A file to be read, as it was when it was found: what is added meanwhile is read the next time. */
export interface FileToRead extends Omit<FileStamp, 'inode'> {
  path: string;
  known?: FileUsage | undefined;
}

/** Reads a file, or what was added to it since it was known; its calls are added to `calls`. Throws what the system says when it cannot be read. */
export function readUsage({ path, size, mtimeMs, known }: FileToRead, format: Format, calls: Calls): FileNotes {
  const facts = { path, at: mtimeMs };
  if (format.kind === 'whole') return readWhole(facts, format.read, new Finds(facts, calls));
  if (/\.(?:gz|zst)$/.test(path)) return readPacked(facts, format, new Finds(facts, calls));
  const file = openSync(path, 'r');
  try {
    const isGrown = known !== undefined && known.offset <= size && markBefore(file, known.offset) === known.mark;
    const before = isGrown ? known : undefined;
    return new FileReading(facts, format, new Finds(facts, calls, before), before).read(file, size);
  } finally {
    closeSync(file);
  }
}

/** Notes the sessions and calls of a file. */
class Finds implements Found {
  readonly sessions: Session[];
  readonly calls: Calls;
  damagedCount: number;
  /** What is found now is read again when the file has grown. */
  mayChange = false;
  readonly #at: number;
  #last = '';
  #places: Map<string, number> | undefined;

  constructor({ at }: FileFacts, calls: Calls, known?: FileUsage) {
    this.#at = at;
    this.sessions = known === undefined ? [] : [...known.sessions];
    this.calls = calls;
    this.damagedCount = known?.damaged ?? 0;
    calls.begin(known, known === undefined ? 0 : known.rows.length / width - known.pending);
  }

  session(session: Session): number {
    const key = keyOf(session);
    // Most files are of one session.
    if (key === this.#last) return this.sessions.length - 1;
    const places = (this.#places ??= new Map(this.sessions.map((each, place) => [keyOf(each), place])));
    const known = places.get(key);
    if (known !== undefined) return known;
    const place = this.sessions.push(session) - 1;
    places.set(key, place);
    this.#last = key;
    return place;
  }

  call(call: Parameters<Found['call']>[0]): void {
    this.calls.add(call.at === undefined ? { ...call, at: this.#at } : call, this.mayChange);
  }

  damaged(): void {
    this.damagedCount += 1;
  }

  notes({ state, ...rest }: Pick<FileNotes, 'pending' | 'offset' | 'mark'> & { state: Json }): FileNotes {
    return { sessions: this.sessions, damaged: this.damagedCount, state: JSON.stringify(state), ...rest };
  }
}

function keyOf({ id, subAgent = '' }: Session): string {
  return `${id}\n${subAgent}`;
}

function readWhole(facts: FileFacts, read: (file: FileFacts, found: Found) => void, finds: Finds): FileNotes {
  try {
    read(facts, finds);
  } catch (error) {
    throw new Error(messageOf(error), { cause: error });
  }
  return finds.notes({ pending: 0, offset: 0, mark: 0, state: null });
}

/** Compressed: nothing can be added to it. */
function readPacked(facts: FileFacts, format: LineFormat, finds: Finds): FileNotes {
  const { gunzipSync, zstdDecompressSync } = process.getBuiltinModule('node:zlib');
  const packed = readFileSync(facts.path);
  const bytes = facts.path.endsWith('.gz') ? gunzipSync(packed) : zstdDecompressSync(packed);
  return new FileReading(facts, format, finds).readBytes(bytes);
}

/** Shared by all files that a thread reads, one after the other. */
let buffer: Buffer | undefined;

interface Marks {
  marks: readonly Buffer[];
  lastMarks: readonly Buffer[];
}

/** The marks of a format as bytes. */
const bytesOfMarks = new WeakMap<LineFormat, Marks>();

function marksOf(format: LineFormat): Marks {
  const known = bytesOfMarks.get(format);
  if (known !== undefined) return known;
  const bytes = (marks: readonly string[] = []): Buffer[] => marks.map((mark) => Buffer.from(mark));
  const own = { marks: bytes(format.marks), lastMarks: bytes(format.lastMarks) };
  bytesOfMarks.set(format, own);
  return own;
}

class FileReading {
  readonly #finds: Finds;
  readonly #reader: ReturnType<LineFormat['reader']>;
  readonly #marks: readonly Buffer[];
  readonly #lastMarks: readonly Buffer[];
  #offset: number;
  /** Of what stands before that place, as far as it was read in one piece. */
  #mark: number | undefined;

  constructor(facts: FileFacts, format: LineFormat, finds: Finds, known?: FileUsage) {
    this.#finds = finds;
    this.#reader = format.reader(facts, finds, known === undefined ? undefined : parseJson(known.state));
    ({ marks: this.#marks, lastMarks: this.#lastMarks } = marksOf(format));
    this.#offset = known?.offset ?? 0;
  }

  read(file: number, size: number): FileNotes {
    let bytes = (buffer ??= Buffer.allocUnsafeSlow(chunkBytes));
    let held = 0;
    let isSkipping = false;
    while (this.#offset + held < size) {
      const place = this.#offset + held;
      const count = readSync(file, bytes, held, Math.min(bytes.length - held, size - place), place);
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
      this.#mark = end < markBytes ? undefined : crc32(bytes.subarray(end - markBytes, end));
      held = length - end;
      bytes.copy(bytes, 0, end, length);
    }
    const mark = this.#mark ?? markBefore(file, this.#offset);
    return this.#finish(isSkipping ? Buffer.alloc(0) : bytes.subarray(0, held), mark);
  }

  readBytes(bytes: Buffer): FileNotes {
    const end = bytes.lastIndexOf(newline) + 1;
    this.#lines(bytes, 0, end);
    return this.#finish(bytes.subarray(end), 0);
  }

  /** `rest`: what stands behind the last line break; it counts if it is a whole line, but is read again when the file has grown. */
  #finish(rest: Buffer, mark: number): FileNotes {
    const { calls, damagedCount } = this.#finds;
    const { count } = calls;
    const { state } = this.#reader;
    const hasMark = (each: Buffer): boolean => rest.includes(each);
    this.#finds.mayChange = true;
    if (rest.length > 0 && (this.#reader.wantsAll || this.#marks.some(hasMark) || this.#lastMarks.some(hasMark)))
      this.#reader.line(rest, 0, rest.length);
    this.#finds.damagedCount = damagedCount;
    this.#reader.end();
    return this.#finds.notes({ pending: calls.count - count, offset: this.#offset, mark, state });
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
function markBefore(file: number, offset: number): number {
  const length = Math.min(markBytes, offset);
  const bytes = Buffer.alloc(length);
  if (length > 0) readSync(file, bytes, 0, length, offset - length);
  return crc32(bytes);
}
