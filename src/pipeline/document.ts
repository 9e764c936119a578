import { fresh, parse, scan } from './json-text.ts';

const timeBefore = /^\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?\]? /;

/** The length of the timestamp that a line begins with. */
export function stampOf(line: string): number {
  return timeBefore.exec(line)?.[0].length ?? 0;
}

/** No terminal and no log is narrower. */
const narrowest = 20;

/** A JSON value spread over several lines, until its brackets are balanced: indented, or one line broken at a column. */
export class Document {
  readonly firstLine: number;
  readonly lines: string[] = [];
  /** The timestamp before each line; empty: there was none. */
  readonly stamps: string[] = [];
  readonly #mayBeWrapped: boolean;
  /** How long the stamp of a line is. */
  readonly #stampOf: (line: string) => number;
  #indented = fresh;
  #joined = fresh;
  /** The same with the line feeds inside strings, which some programs write as they are. */
  #raw = fresh;
  /** For each line: it ends inside a string. */
  readonly #isInString: boolean[] = [];
  /** The column where lines are broken; 0: they are not. */
  #column: number;
  size = 0;
  /** It could be read only with line feeds inside its strings. */
  hasRawFeeds = false;

  constructor(line: string, firstLine: number, mayBeWrapped: boolean, stamp = '', lengthOf = stampOf) {
    this.firstLine = firstLine;
    this.#stampOf = lengthOf;
    this.#mayBeWrapped = mayBeWrapped && line.length >= narrowest;
    this.#column = this.#mayBeWrapped ? line.length : 0;
    if (stamp !== '') this.stamps.push(stamp);
    this.#add(line);
  }

  add(line: string): void {
    const [first] = this.stamps;
    if (first === undefined) return this.#add(line);
    const stamp = line.slice(0, this.#stampOf(line));
    // A program that breaks lines at a column counts the timestamp as part of the first line.
    if (stamp === '' && this.lines.length === 1 && this.#column > 0) this.#column += first.length;
    this.stamps.push(stamp);
    this.#add(line.slice(stamp.length));
  }

  #add(line: string): void {
    const isIndented = this.lines.length === 0 || this.#isIndented;
    this.lines.push(line);
    this.size += line.length;
    this.#raw = scan(line, { ...this.#raw, isEscaped: false });
    this.#isInString.push(this.#raw.inString);
    if (isIndented) this.#indented = scan(line, { ...this.#indented, inString: false, isEscaped: false });
    if (this.#column === 0 || line === '') return;
    this.#joined = scan(line, this.#joined);
    // Only the last of the pieces may be shorter.
    if (line.length > this.#column || (line.length < this.#column && this.#joined.depth > 0)) this.#column = 0;
  }

  /** Where the JSON of a further line begins. */
  startOf(line: string): number {
    return this.stamps.length > 0 ? this.#stampOf(line) : 0;
  }

  /** How many lists and objects begin in it. */
  get opened(): number {
    return Math.max(this.#indented.opened, this.#joined.opened);
  }

  /** More lines may complete it. */
  get isOpen(): boolean {
    if (this.#isIndented) return this.#indented.depth > 0;
    return (this.#column > 0 && this.#joined.depth > 0) || this.mayHaveRawFeeds;
  }

  /** A string goes on in the next line: that line may be its own, or the rest of a line that was cut. */
  get mayHaveRawFeeds(): boolean {
    return this.#mayBeWrapped && this.#raw.depth > 0;
  }

  /** An empty line is part of it. */
  get isInString(): boolean {
    return this.mayHaveRawFeeds && this.#raw.inString;
  }

  /** It is incomplete: more bytes should have followed. */
  get isCut(): boolean {
    return this.#indented.depth > 0 || this.#indented.inString;
  }

  /** It was treated as the pieces of one line. */
  get isWrapped(): boolean {
    return this.#mayBeWrapped && !this.#isIndented;
  }

  value(): unknown {
    const wire = this.isWrapped ? undefined : parse(this.text());
    const known = wire ?? (this.#column > 0 ? parse(this.lines.join('')) : undefined);
    if (known !== undefined) return known;
    this.hasRawFeeds = true;
    return parse(this.#withEscapedFeeds());
  }

  /** Takes away what follows the last bracket, if the document can be read without it; undefined: it cannot. */
  takeRest(): string | undefined {
    const whole = this.lines.at(-1) ?? '';
    const end = whole.search(/[^\s}\]]/);
    if (end < 1 || this.isWrapped || this.lines.length < 2) return undefined;
    this.lines[this.lines.length - 1] = whole.slice(0, end);
    if (parse(this.text()) !== undefined) return whole.slice(end);
    this.lines[this.lines.length - 1] = whole;
    return undefined;
  }

  text(): string {
    return this.lines.join('\n');
  }

  #withEscapedFeeds(): string {
    return this.lines.map((line, index) => `${line}${this.#isInString[index] === true ? '\\n' : '\n'}`).join('');
  }

  /** A raw line feed inside a string is not JSON: such a line was cut or broken, not indented. */
  get #isIndented(): boolean {
    return !this.#indented.inString;
  }
}
