import type { Json, JsonObject } from '../json/json.ts';

/** A line that may be part of a copy, until that is known. */
export interface HeldLine {
  wire: JsonObject;
  line: number;
  at: number | undefined;
}

/** How many lines at the beginning of a stream are remembered. */
const remembered = 20_000;
/** So many equal lines in a row are no chance. */
const certain = 500;

/**
 * Some logs have the same stream twice, with other text between: as it was printed, and once more from a file. A copy begins with the first line of the stream and
 * goes on like it; it is left out, and so is a document that comes again. A resumed session also begins with the first line, but goes on differently: its lines are given back.
 */
export class Again {
  readonly #marks: number[] = [];
  #count = 0;
  /** Where in the stream the next line of the copy would be; 0: there is no copy. */
  #place = 0;
  /** How many lines the stream had when the copy began. */
  #length = 0;
  #held: HeldLine[] = [];
  #isCopy = false;

  /** Counts a line that is read at once, since nothing is compared with it; false: it is one for `take`. */
  passes(isApart: boolean): boolean {
    // A mark costs a fifth of the parse.
    if (this.#place > 0 || this.#isRemembering || isApart) return false;
    this.#count += 1;
    return true;
  }

  /** Lines to be read now: none while they are like the first ones. `isApart`: other text stands before this line. */
  take(line: HeldLine, isApart: boolean): readonly HeldLine[] {
    const mark = this.#place > 0 && this.#place >= remembered ? undefined : markOf(line.wire);
    if (this.#place > 0) {
      if (this.#place < this.#length && (mark === undefined || mark === this.#marks[this.#place]))
        return this.#hold(line);
      return [...this.#giveBack(), ...this.take(line, isApart)];
    }
    if (isApart && mark === this.#marks[0] && (this.#count > 1 || isOnlyOne(line.wire))) {
      this.#length = this.#count;
      return this.#hold(line);
    }
    if (mark !== undefined && this.#isRemembering) this.#marks.push(mark);
    this.#count += 1;
    return [line];
  }

  get #isRemembering(): boolean {
    return this.#marks.length < remembered && this.#marks.length === this.#count;
  }

  /** The input is over: what stops early may as well be a second run that was cut off. */
  end(): readonly HeldLine[] {
    return this.#giveBack();
  }

  /** Whether a copy was left out. */
  get wasCopied(): boolean {
    return this.#isCopy;
  }

  #hold(line: HeldLine): readonly HeldLine[] {
    this.#place += 1;
    if (this.#place < certain) this.#held.push(line);
    else this.#held = [];
    return [];
  }

  /** The copy is over, or was none. */
  #giveBack(): readonly HeldLine[] {
    const isCopy = this.#place > 0 && (this.#place >= certain || this.#place === this.#length);
    const held = isCopy ? [] : this.#held;
    this.#isCopy ||= isCopy;
    this.#held = [];
    this.#place = 0;
    this.#count += held.length;
    return held;
  }
}

/** Two runs may answer the same, but not under the same id, nor in the same milliseconds. */
function isOnlyOne(wire: JsonObject): boolean {
  return Object.keys(wire).some((name) => /(?:id|time|ms)$/i.test(name));
}

/** A number for a line: its fields and those one level below, of long texts the length and the ends. */
function markOf(wire: JsonObject): number {
  let mark = 17;
  for (const name in wire) {
    mark = mixed(mark, name);
    const value = wire[name];
    if (typeof value !== 'object' || value === null) mark = mixed(mark, value);
    else for (const inner in value) mark = mixed(mixed(mark, inner), (value as JsonObject)[inner]);
  }
  return mark;
}

const longest = 48;

function mixed(mark: number, value: Json | undefined): number {
  const text = typeof value === 'string' ? value : typeof value === 'object' ? '' : String(value);
  let next = (Math.imul(mark, 31) + text.length) | 0;
  const step = text.length > longest ? Math.floor(text.length / longest) : 1;
  for (let at = 0; at < text.length; at += step) next = (Math.imul(next, 31) + text.charCodeAt(at)) | 0;
  return next;
}
