import { isObject } from '../json/read.ts';
import type { JsonObject } from '../json/json.ts';
import { Document, stampOf } from './document.ts';
import { type Enveloped, openContainerLine, openFieldsLine } from './envelope.ts';
import { csvFieldIn } from './csv.ts';
import { CsvTable } from './csv-table.ts';
import { Html } from './html.ts';
import { type Beginning, beginningIn, goesOn, prefixLength } from './line-prefix.ts';
import { ListRows } from './list-rows.ts';
import { quotedIn } from './quoted.ts';
import { eachObject, fresh, longLine, mostContainers, parse, scan, startsLikeJson } from './json-text.ts';

export type TextCause = 'noise' | 'broken' | 'cut' | 'oversize';

export interface FrameSink {
  value(wire: JsonObject, line: number): void;
  text(text: string, cause: TextCause, line: number): void;
  note(kind: 'broken' | 'guessed', what: string, line: number): void;
  /** Called for a line in the format of a container log; unset: such lines are read as they are. */
  enveloped?(line: Enveloped): void;
  /** Whether the lines in that format have begun a document. */
  isInside?(): boolean;
  /** Called for a list that stands on a line; false: it is nothing that anybody knows. */
  list?(list: readonly unknown[]): boolean;
}

const maxLineBytes = 256 * 1024 * 1024;
/** How much of an oversized line is kept, and how much more the sink is given: where it is cut, a secret may begin. */
export const keptOfOversize = 64 * 1024;
const beyondKept = 32 * 1024;
const LF = 10;
const CARRIAGE_RETURN = 13;
const OPEN_BRACE = 123;
const BOM = 0xfeff;

const terminalNoise =
  // eslint-disable-next-line no-control-regex -- terminal sequences and control characters are what this looks for
  /\u001b\[[0-9;?]*[ -/]*[@-~]|\u001b[\]_][^\u0007\u001b]*(?:\u0007|\u001b\\)|[\u0000-\u0008\u000b-\u001f]/g;

// eslint-disable-next-line no-control-regex -- colours, and what a shell prints around its prompt
const escapes = /\u001b\[[0-9;?]*[ -/]*[@-~]|\u001b[\]_][^\u0007\u001b]*(?:\u0007|\u001b\\)/g;

// eslint-disable-next-line no-control-regex -- no terminal writes these, or an escape that begins nothing, so something is missing where they are
const damage = /[\u0000-\u0008\u000e-\u001a\u001c-\u001f]|\u001b(?![[\]_])/;

const escape = '\u001b';
const documentRest = /^(?:"|\}|\]|,)/;

/**
 * Bytes in, JSON objects out. Splits on LF only: U+2028, U+2029 and NEL are legal inside a JSON string and occur raw
 * on the stdout of every agent. What is not JSON comes out as text, so nothing that arrived is lost.
 */
export class Framer {
  readonly #sink: FrameSink;
  readonly #limit: number;
  readonly #mostObjects: number;
  readonly #strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  readonly #lenient = new TextDecoder('utf-8', { ignoreBOM: true });
  #carry: Uint8Array[] = [];
  #carried = 0;
  #skipping = false;
  #line = 0;
  #document: Document | undefined;
  /** What the lines of the open document have before them. */
  #prefix: (Beginning & { lines: string[] }) | undefined;
  #sse = false;
  readonly #html = new Html();
  /** Unset: the first line names no columns. */
  #table: CsvTable | undefined;
  readonly #rows = new ListRows();
  #afterDocument = false;
  /** There was an object that stood on a line by itself. */
  #hasLines = false;
  /** False while lines that turned out not to be pieces of one line are read again, each by itself. */
  #mayBeWrapped = true;

  /** `mostObjects`: how many objects a single line may hold; nothing can pause reading in the middle of a line. */
  constructor(sink: FrameSink, limit = maxLineBytes, mostObjects = mostContainers) {
    this.#sink = sink;
    this.#limit = limit;
    this.#mostObjects = mostObjects;
  }

  /** A document has begun, and has not ended. */
  get isInDocument(): boolean {
    return this.#document !== undefined;
  }

  push(chunk: Uint8Array): void {
    const first = chunk.indexOf(LF);
    if (first === -1) return this.#hold(chunk);
    let start = 0;
    if (this.#skipping || this.#carried > 0) {
      this.#hold(chunk.subarray(0, first));
      this.#endCarried(false);
      start = first + 1;
    }
    const last = chunk.lastIndexOf(LF);
    if (last >= start) this.#lines(chunk.subarray(start, last + 1));
    if (last + 1 < chunk.length) this.#hold(chunk.subarray(last + 1));
  }

  end(): void {
    this.#endCarried(true);
    this.#abandonDocument('cut');
    if (!this.#rows.isCut) return;
    this.#sink.note('broken', 'list is cut off', this.#line);
    this.#sink.text('list is cut off', 'cut', this.#line);
  }

  /** Keeps a piece of a line whose end has not arrived yet. */
  #hold(piece: Uint8Array): void {
    if (this.#skipping) return;
    // Callers may reuse their buffer, so bytes that outlive this call are copied; a Buffer's own slice() would not copy.
    this.#carry.push(new Uint8Array(piece));
    this.#carried += piece.length;
    if (this.#carried <= this.#limit) return;
    const head = join(this.#carry, Math.min(this.#limit, keptOfOversize + beyondKept));
    this.#carry = [];
    this.#carried = 0;
    this.#skipping = true;
    this.#oversize(head);
  }

  #endCarried(last: boolean): void {
    this.#skipping = false;
    if (this.#carried === 0) return;
    const bytes = join(this.#carry, this.#carried);
    this.#carry = [];
    this.#carried = 0;
    this.#line += 1;
    this.#oneLine(this.#decode(bytes), last);
  }

  #oversize(bytes: Uint8Array): void {
    this.#line += 1;
    this.#abandonDocument('broken');
    this.#sink.note('broken', `line longer than ${this.#limit} bytes`, this.#line);
    this.#sink.text(
      this.#lenient.decode(bytes.subarray(0, Math.min(this.#limit, keptOfOversize + beyondKept))),
      'oversize',
      this.#line,
    );
  }

  /** Whole lines, each ended by LF. */
  #lines(bytes: Uint8Array): void {
    if (bytes.length > this.#limit) return this.#eachLine(bytes);
    let text: string;
    try {
      text = this.#strict.decode(bytes);
    } catch {
      // At least one of these lines is not UTF-8; that must not affect the others.
      return this.#eachLine(bytes);
    }
    let start = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      this.#line += 1;
      if (end > start || this.#document?.isInString === true) this.#oneLine(text.slice(start, end), false);
      start = end + 1;
    }
  }

  #eachLine(bytes: Uint8Array): void {
    let start = 0;
    for (let end = bytes.indexOf(LF); end !== -1; end = bytes.indexOf(LF, start)) {
      const line = bytes.subarray(start, end);
      start = end + 1;
      if (line.length > this.#limit) {
        this.#oversize(line);
        continue;
      }
      this.#line += 1;
      if (line.length > 0 || this.#document?.isInString === true) this.#oneLine(this.#decode(line), false);
    }
  }

  #decode(bytes: Uint8Array): string {
    try {
      return this.#strict.decode(bytes);
    } catch {
      this.#sink.note('broken', 'bytes that are not UTF-8', Math.max(1, this.#line));
      return this.#lenient.decode(bytes);
    }
  }

  #oneLine(line: string, last: boolean): void {
    if (this.#document !== undefined) return this.#documentLine(line, last);
    if (line.charCodeAt(0) === OPEN_BRACE && !this.#html.isInside) {
      const wire = parse(line);
      if (wire !== undefined) {
        if (this.#rows.isOpen) this.#rows.take(line);
        this.#hasLines = true;
        return this.#value(wire, line);
      }
    }
    this.#oddLine(line, last);
  }

  #value(wire: unknown, text: string): void {
    if (isObject(wire)) return this.#sink.value(wire, this.#line);
    if (Array.isArray(wire) && this.#sink.list?.(wire) === true) return;
    if (Array.isArray(wire) && wire.length > 0 && wire.every(isObject)) {
      for (const each of wire) this.#sink.value(each, this.#line);
      return;
    }
    if (Array.isArray(wire) && wire.every((each) => typeof each === 'string') && wire.some(startsLikeJson)) {
      for (const each of wire) this.#inner(each);
      return;
    }
    this.#sink.text(text, 'noise', this.#line);
  }

  /** Lines that stood inside a line. */
  #inner(text: string, last = false): void {
    for (const line of text.split('\n')) if (line.trim() !== '') this.#oneLine(line, last);
  }

  /** Everything that is not simply one object on one line. */
  #oddLine(raw: string, last: boolean): void {
    let line = raw;
    if (line.charCodeAt(0) === BOM) line = line.slice(1);
    if (line.charCodeAt(line.length - 1) === CARRIAGE_RETURN) line = line.slice(0, -1);
    if (line.trim() === '' || this.#rows.closes(line)) return;
    const shown = this.#html.textOf(line);
    if (shown !== undefined) return this.#shown(shown, last);
    const plain = line.includes(escape) ? line.replace(escapes, '') : line;
    if (this.#sink.enveloped !== undefined && this.#collected(plain)) return;
    if (line.startsWith('data:') && /^data:\s*\{/.test(line)) {
      this.#sse = true;
      line = line.slice(5);
    } else if (this.#sse && /^(?:(?:event|id|retry|):|data: ?\[DONE\]$)/.test(line)) {
      return;
    }
    line = line.trimStart();
    const row = this.#rows.take(line);
    if (row !== undefined) return this.#value(row, line);
    const isLikeJson = startsLikeJson(line);
    if (isLikeJson || line.startsWith('[')) {
      if (line.length > longLine && this.#longList(line)) return;
      const wire = parse(line);
      if (wire !== undefined) return this.#value(wire, line);
    }
    const clean = line.replace(terminalNoise, '').trim();
    if (clean !== line && startsLikeJson(clean)) {
      const wire = parse(clean);
      if (wire !== undefined) {
        const isDamaged = damage.test(line.slice(line.indexOf('{'), line.lastIndexOf('}')));
        if (!isDamaged) this.#sink.note('guessed', 'control characters around a line', this.#line);
        this.#value(wire, clean);
        // After it, so that the damage of the last line is that of the end.
        return isDamaged ? this.#repaired() : undefined;
      }
    }
    if (isLikeJson) return this.#unfinished(line, last);
    const bare = plain.trim();
    const brace = bare.indexOf('{"');
    if (brace > 0) {
      const text = bare.slice(brace);
      const wire = (this.#rows.isOpen ? this.#rows.take(text) : undefined) ?? parse(text);
      if (wire !== undefined) {
        const before = line.indexOf('{"');
        this.#sink.text(before > 0 ? line.slice(0, before) : bare.slice(0, brace), 'noise', this.#line);
        this.#hasLines = true;
        return this.#value(wire, text);
      }
    }
    // A doubled bracket ends a document early; the rest of it is damage, not the agent's chatter.
    if (this.#afterDocument && documentRest.test(line)) return this.#broken(raw, last);
    const field = csvFieldIn(line);
    const cell = field === undefined ? undefined : parse(field);
    if (field !== undefined && isObject(cell)) return this.#value(cell, field);
    if (this.#quoted(line, last)) return;
    if (this.#mayBeWrapped && !last && (this.#stamped(line) || this.#prefixed(raw))) return;
    this.#sink.text(raw, 'noise', this.#line);
  }

  /** A line in the format of a collector that is not JSON. */
  #collected(line: string): boolean {
    if (this.#line === 1) this.#table = CsvTable.begun(line);
    else {
      const row = this.#table?.take(line);
      if (row !== undefined) {
        if (row !== 'open') this.#sink.enveloped?.(row);
        return true;
      }
    }
    const enveloped = openContainerLine(line) ?? openFieldsLine(line, this.#sink.isInside?.() === true);
    if (enveloped !== undefined) this.#sink.enveloped?.(enveloped);
    return enveloped !== undefined;
  }

  /** A line of a page, as a browser shows it. */
  #shown(text: string, last: boolean): void {
    for (const line of text.split('\n')) {
      const at = line.indexOf('{"');
      const wire = at === -1 ? undefined : parse(line.slice(at));
      if (wire !== undefined) this.#value(wire, line.slice(at));
      else if (startsLikeJson(line)) this.#unfinished(line, last);
      else if (line.trim() !== '') this.#sink.text(line, 'noise', this.#line);
    }
  }

  #quoted(line: string, last: boolean): boolean {
    const quoted = quotedIn(line);
    if (quoted === undefined) return false;
    if (quoted.before.trim() !== '') this.#sink.text(quoted.before, 'noise', this.#line);
    this.#inner(quoted.text, last);
    return true;
  }

  /** What a control character inside a line has replaced is not known. */
  #repaired(): void {
    const what = 'control characters inside a line';
    this.#sink.note('broken', what, this.#line);
    this.#sink.text(what, 'broken', this.#line);
  }

  /** The first piece of a line, or of a document, after the timestamp that a log puts before each line. */
  #stamped(line: string): boolean {
    const stamp = stampOf(line);
    if (stamp === 0 || !/^\{\s{0,20}(?:"|$)/.test(line.slice(stamp, stamp + 22))) return false;
    const document = new Document(line.slice(stamp), this.#line, true, line.slice(0, stamp));
    if (document.isOpen) this.#document = document;
    return document.isOpen;
  }

  /** The first line of an indented document, after what a log puts before each line, or a logger before the first. */
  #prefixed(raw: string): boolean {
    const beginning = beginningIn(raw.replace(terminalNoise, ''));
    if (beginning === undefined) return false;
    const { prefix, json } = beginning;
    this.#prefix = { ...beginning, lines: [raw] };
    this.#document = new Document(json, this.#line, false, prefix, (each) => prefixLength(prefix, each));
    return true;
  }

  /** The first line of a document, several objects on one line, or a line that is cut or broken. */
  #unfinished(line: string, last: boolean): void {
    if (this.#gluedObjects(line, last)) return;
    const document = new Document(line, this.#line, this.#mayBeWrapped);
    if (document.isOpen && !last) this.#document = document;
    else if (document.isCut && line.startsWith('[')) this.#cutList(line, last);
    else this.#broken(line, last && document.isCut);
  }

  /** A list that would take many times its length in memory if parsed whole: it is read element by element, once all elements are known to be objects. */
  #longList(line: string): boolean {
    if (!eachObject(line, () => {})) return false;
    let count = 0;
    eachObject(line, (wire) => {
      count += 1;
      if (count <= this.#mostObjects) this.#sink.value(wire, this.#line);
    });
    if (count > this.#mostObjects) this.#tooMany(line);
    return true;
  }

  #tooMany(text: string): void {
    this.#sink.note('broken', `more than ${this.#mostObjects} objects on one line: the rest is not read`, this.#line);
    this.#sink.text(text.slice(0, keptOfOversize + beyondKept), 'oversize', this.#line);
  }

  /** A list that stops in the middle: its complete elements are still valid output of the agent. */
  #cutList(line: string, last: boolean): void {
    let rest = line.slice(1).trimStart();
    let whole = 0;
    while (rest.startsWith('{')) {
      const { end, depth } = scan(rest, fresh, 'closed');
      const wire = depth === 0 ? parse(rest.slice(0, end)) : undefined;
      if (!isObject(wire)) break;
      this.#sink.value(wire, this.#line);
      whole += 1;
      rest = rest.slice(end).replace(/^\s*,\s*/, '');
    }
    this.#broken(whole === 0 ? line : rest, last);
  }

  /** Two writers without a lock, or a lost LF: `{…}{…}`. Looked for only at the start of the line, never inside a string. */
  #gluedObjects(line: string, last: boolean): boolean {
    let rest = line;
    for (let count = 1; rest.startsWith('{'); count += 1) {
      const { end } = scan(rest, fresh, 'closed');
      const wire = parse(rest.slice(0, end));
      if (!isObject(wire)) break;
      if (count > this.#mostObjects) {
        this.#tooMany(rest);
        return true;
      }
      if (rest === line) this.#sink.note('guessed', 'several objects on one line', this.#line);
      this.#sink.value(wire, this.#line);
      rest = rest.slice(end).trimStart();
    }
    if (rest === line) return false;
    if (rest !== '') this.#broken(rest, last && startsLikeJson(rest) && new Document(rest, this.#line, false).isCut);
    return true;
  }

  #broken(text: string, isCut: boolean): void {
    if (startsLikeJson(text) && isCode(text)) return this.#sink.text(text, 'noise', this.#line);
    this.#sink.note('broken', isCut ? 'last line is cut off' : 'line that is not JSON', this.#line);
    this.#sink.text(text, isCut ? 'cut' : 'broken', this.#line);
  }

  #documentLine(raw: string, last: boolean): void {
    const document = this.#document;
    if (document === undefined) return;
    const line = withoutReturn(raw).replace(this.#prefix === undefined ? escapes : terminalNoise, '');
    if (this.#prefix !== undefined && !goesOn(this.#prefix, line)) {
      this.#abandonDocument('broken');
      return this.#oneLine(raw, last);
    }
    this.#prefix?.lines.push(raw);
    const isBegun = document.lines.length === 1 && document.lines[0]?.trim() === '[';
    const row = isBegun ? this.#rows.take(line.slice(document.startOf(line)), true) : undefined;
    if (row !== undefined) {
      this.#document = undefined;
      this.#prefix = undefined;
      return this.#value(row, line);
    }
    // An indented document never has a whole object at the start of a line: the open document was really a broken line.
    const start = document.startOf(line);
    if (
      (line.charCodeAt(start) === OPEN_BRACE || line.startsWith('[{', start)) &&
      parse(line.slice(start)) !== undefined
    ) {
      this.#abandonDocument('broken');
      return this.#oneLine(line, last);
    }
    if (beginsAnew(line.slice(start), document)) {
      this.#abandonDocument('broken');
      return this.#oneLine(raw, last);
    }
    document.add(line);
    if (document.isOpen && document.size <= this.#limit && document.opened <= mostContainers) return;
    const wire = document.isOpen ? undefined : (document.value() ?? this.#rows.take(document.text()));
    if (wire === undefined) {
      const rest = document.isOpen ? undefined : document.takeRest();
      if (rest === undefined) return this.#abandonDocument(last ? 'cut' : 'broken', last);
      // Without a line feed at the end of a document, a shell's prompt follows its last bracket.
      this.#finishDocument(document);
      return this.#oneLine(rest, last);
    }
    if (document.hasRawFeeds) this.#sink.note('guessed', 'line feeds inside a string', document.firstLine);
    else if (document.isWrapped) this.#sink.note('guessed', 'line broken in several at a column', document.firstLine);
    this.#finishDocument(document, wire);
  }

  #finishDocument(document: Document, wire = document.value()): void {
    this.#document = undefined;
    this.#prefix = undefined;
    // Braces of code.
    if (isObject(wire) && Object.keys(wire).length === 0)
      return this.#sink.text(document.text(), 'noise', document.firstLine);
    this.#afterDocument = true;
    this.#value(wire, document.text());
  }

  /** They were not pieces of one line after all. */
  #eachByItself({ firstLine, stamps, lines: pieces }: Document, last: boolean): void {
    this.#mayBeWrapped = false;
    const current = this.#line;
    const lines = this.#prefix?.lines ?? pieces.map((line, index) => `${stamps[index] ?? ''}${line}`);
    this.#prefix = undefined;
    for (const [index, line] of lines.entries()) {
      this.#line = firstLine + index;
      this.#oneLine(line, last && index === lines.length - 1);
    }
    this.#line = current;
    this.#mayBeWrapped = true;
  }

  #abandonDocument(cause: 'broken' | 'cut', last = false): void {
    const document = this.#document;
    if (document === undefined) return;
    this.#document = undefined;
    if (document.isWrapped || document.stamps.length > 0) return this.#eachByItself(document, last);
    const text = document.text();
    // An agent that prints a line for each object does not begin to indent them.
    if (isCode(text) || (cause === 'cut' && this.#hasLines && isIndentedBlock(document.lines)))
      return this.#sink.text(text, 'noise', document.firstLine);
    this.#sink.note(
      'broken',
      cause === 'cut' ? 'document is cut off' : 'document that is not JSON',
      document.firstLine,
    );
    this.#sink.text(text, cause, document.firstLine);
  }
}

/** Brackets without a single member, or the beginning of one: a program's code, not its output. */
function isCode(text: string): boolean {
  return !/"\s{0,20}:/.test(text) && !/^\[?\{"/.test(text);
}

/** Further lines are not looked at: code has no members anyway. */
const mostLooked = 20;

/** A bracket where an object would have a member: what is open is a bracket of code, and the document begins here. */
function beginsAnew(line: string, { lines }: Document): boolean {
  if (!/^[{[]\s*$/.test(line)) return false;
  const before = lines.slice(0, mostLooked).join('\n');
  return /^\s*(?:\[\s*)?\{/.test(before) && isCode(before);
}

/** A bracket that stands alone, and indented lines below it. */
function isIndentedBlock([first, ...rest]: readonly string[]): boolean {
  return /^\s*[{[]\s*$/.test(first ?? '') && rest.every((line) => /^\s/.test(line) || line === '');
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}

function join(pieces: readonly Uint8Array[], length: number): Uint8Array {
  const only = pieces[0];
  if (pieces.length === 1 && only !== undefined && only.length === length) return only;
  const out = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    if (at >= length) break;
    const part = piece.length > length - at ? piece.subarray(0, length - at) : piece;
    out.set(part, at);
    at += part.length;
  }
  return out;
}
