import { parseJson } from '../../json/parse.ts';
import type { Json, JsonObject } from '../../json/json.ts';

/** The fields of an object that are wanted: whole, or of an object in them only some again. */
export interface Wanted {
  readonly [name: string]: true | Wanted;
}

interface Field {
  name: string;
  bytes: Uint8Array;
  inner: Fields | undefined;
  /** The last plain text of the field: most fields say the same in every line, and need no new text for it. */
  last: string;
}

/** By the length of their names. */
type Fields = readonly (readonly Field[] | undefined)[];

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a];
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];
/** A string that is longer is searched for its end by the platform, which is faster from here on. */
const shortString = 48;
/** A whole number with no more digits is exact. */
const mostDigits = 15;

/** Picks fields out of JSON without making a value of anything else: most of a session are texts that nobody counts. */
export class Picker {
  readonly #fields: Fields;
  #bytes: Buffer = Buffer.alloc(0);
  #at = 0;
  #end = 0;

  constructor(wanted: Wanted) {
    this.#fields = fieldsOf(wanted);
  }

  /** The wanted fields of the object that is a whole line; undefined: it is none, or damaged. */
  pick(bytes: Buffer, from: number, to: number): JsonObject | undefined {
    this.#bytes = bytes;
    this.#at = from;
    this.#end = to;
    this.#skipSpace();
    if (this.#next() !== openBrace) return undefined;
    const found = this.#object(this.#fields);
    if (found === undefined) return undefined;
    this.#skipSpace();
    return this.#at === this.#end ? found : undefined;
  }

  #object(fields: Fields): JsonObject | undefined {
    const found: JsonObject = {};
    this.#at += 1;
    this.#skipSpace();
    if (this.#next() === closeBrace) {
      this.#at += 1;
      return found;
    }
    for (;;) {
      const field = this.#name(fields);
      if (field === undefined) return undefined;
      this.#skipSpace();
      if (this.#next() !== colon) return undefined;
      this.#at += 1;
      this.#skipSpace();
      if (field === null) {
        if (!this.#skipValue()) return undefined;
      } else {
        const value = this.#value(field);
        if (value === undefined) return undefined;
        found[field.name] = value;
      }
      this.#skipSpace();
      const end = this.#next();
      this.#at += 1;
      if (end === closeBrace) return found;
      if (end !== comma) return undefined;
      this.#skipSpace();
    }
  }

  /** The field whose name is here; null: it is not wanted; undefined: there is no name. */
  #name(fields: Fields): Field | null | undefined {
    const start = this.#at + 1;
    if (this.#next() !== quote || !this.#skipString()) return undefined;
    const length = this.#at - 1 - start;
    const named = fields[length];
    if (named !== undefined) for (const field of named) if (this.#isHere(field.bytes, start)) return field;
    return null;
  }

  #isHere(expected: Uint8Array, start: number): boolean {
    for (let index = 0; index < expected.length; index += 1)
      if (this.#bytes[start + index] !== expected[index]) return false;
    return true;
  }

  #value(field: Field): Json | undefined {
    const { inner } = field;
    const first = this.#next();
    if (inner !== undefined && first === openBrace) return this.#object(inner);
    const start = this.#at;
    if (!this.#skipValue()) return undefined;
    return this.#plainValue(field, first, start) ?? parseJson(this.#bytes.toString('utf8', start, this.#at));
  }

  /** Most values are counts, and texts without an escape: those need no parser. */
  #plainValue(field: Field, first: number | undefined, start: number): number | string | undefined {
    const bytes = this.#bytes;
    if (first === quote) {
      if (this.#isLast(field.last, start + 1)) return field.last;
      for (let at = start + 1; at < this.#at - 1; at += 1) {
        const byte = bytes[at] ?? 0;
        if (byte === backslash || byte < 0x20 || byte > 0x7e) return undefined;
      }
      return (field.last = bytes.toString('latin1', start + 1, this.#at - 1));
    }
    if (this.#at - start > mostDigits || (first === 0x30 && this.#at - start > 1)) return undefined;
    let value = 0;
    for (let at = start; at < this.#at; at += 1) {
      const digit = (bytes[at] ?? 0) - 0x30;
      if (digit < 0 || digit > 9) return undefined;
      value = value * 10 + digit;
    }
    return value;
  }

  #isLast(text: string, start: number): boolean {
    if (text.length !== this.#at - 1 - start) return false;
    for (let index = 0; index < text.length; index += 1)
      if (this.#bytes[start + index] !== text.charCodeAt(index)) return false;
    return true;
  }

  #skipValue(): boolean {
    const first = this.#next();
    if (first === quote) return this.#skipString();
    if (first === openBrace || first === openBracket) return this.#skipNested();
    const start = this.#at;
    while (this.#at < this.#end && !endsValue(this.#bytes[this.#at])) this.#at += 1;
    return this.#at > start;
  }

  #skipNested(): boolean {
    let depth = 0;
    while (this.#at < this.#end) {
      const byte = this.#bytes[this.#at];
      if (byte === quote) {
        if (!this.#skipString()) return false;
        continue;
      }
      this.#at += 1;
      if (byte === openBrace || byte === openBracket) depth += 1;
      else if (byte === closeBrace || byte === closeBracket) {
        depth -= 1;
        if (depth === 0) return true;
      }
    }
    return false;
  }

  /** From its first quote to behind its last one. */
  #skipString(): boolean {
    const bytes = this.#bytes;
    let at = this.#at + 1;
    const soon = Math.min(at + shortString, this.#end);
    for (; at < soon; at += 1) {
      const byte = bytes[at];
      if (byte === backslash) at += 1;
      else if (byte === quote) {
        this.#at = at + 1;
        return true;
      }
    }
    for (;;) {
      const end = bytes.indexOf(quote, at);
      if (end === -1 || end >= this.#end) return false;
      let first = end;
      while (first > at && bytes[first - 1] === backslash) first -= 1;
      if ((end - first) % 2 === 0) {
        this.#at = end + 1;
        return true;
      }
      at = end + 1;
    }
  }

  #skipSpace(): void {
    while (this.#at < this.#end && isSpace(this.#bytes[this.#at])) this.#at += 1;
  }

  #next(): number | undefined {
    return this.#at < this.#end ? this.#bytes[this.#at] : undefined;
  }
}

function fieldsOf(wanted: Wanted): Fields {
  const fields: Field[][] = [];
  for (const [name, inner] of Object.entries(wanted))
    (fields[name.length] ??= []).push({
      name,
      bytes: Buffer.from(name),
      inner: inner === true ? undefined : fieldsOf(inner),
      last: '',
    });
  return fields;
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0d || byte === 0x09 || byte === 0x0a;
}

function endsValue(byte: number | undefined): boolean {
  return byte === comma || byte === closeBrace || byte === closeBracket || isSpace(byte);
}
