import type { JsonObject } from '../json/json.ts';
import { isObject } from '../json/read.ts';
import { parse } from './json-text.ts';

/** A list with one object a line, read as it comes: `[`, `{…},`, `{…}`, `]`. Its beginning may be missing. */
export class ListRows {
  #isOpen = false;
  #isCut = false;

  /** It stopped after a comma: another row should have followed. */
  get isCut(): boolean {
    return this.#isCut;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** The object of a row; undefined: it is none. `isBegun`: the bracket stood on the line before. */
  take(line: string, isBegun = false): JsonObject | undefined {
    let text = line.trim();
    const isFirst = text.startsWith('[');
    if (isFirst || text.startsWith(',')) text = text.slice(1).trimStart();
    const isLast = text.endsWith(']');
    if (isLast) text = text.slice(0, -1).trimEnd();
    const hasMore = text.endsWith(',');
    if (hasMore) text = text.slice(0, -1).trimEnd();
    // Anything else is an object by itself, or a whole list.
    if (!text.startsWith('{') || (isFirst && isLast) || !(isBegun || this.#isOpen || (hasMore && !isLast)))
      return undefined;
    const wire = parse(text);
    if (!isObject(wire)) return undefined;
    this.#isOpen = !isLast;
    this.#isCut = hasMore && !isLast;
    return wire;
  }

  /** Whether this line closes the list. */
  closes(line: string): boolean {
    const text = line.trim();
    if (!this.#isOpen || (text !== ']' && text !== '],')) return false;
    this.#isOpen = false;
    this.#isCut = false;
    return true;
  }
}
