import { createHash } from 'node:crypto';
import type { Json, JsonObject } from '../../json/json.ts';
import { isObject } from '../../json/read.ts';

/** Shorter values are written where they stand: a reference would be no shorter. */
const shortestPart = 80;

/** A value that is kept once, and its number. */
export interface Part {
  part: number;
  value: Json;
}

/**
 * Writes values so that what came before is only referred to, as `{"$": number}`. Long texts and the elements of lists are parts, each
 * made of smaller ones: a message that comes again with a new mark on it costs the mark.
 */
export class PartWriter {
  readonly #numbers = new Map<string, number>();
  readonly #write: (part: Part) => void;

  constructor(write: (part: Part) => void) {
    this.#write = write;
  }

  encode(value: Json): Json {
    if (typeof value === 'string') return value.length < shortestPart ? value : this.#refer(value);
    if (Array.isArray(value)) return value.map((each) => this.#element(each));
    if (!isObject(value)) return value;
    return escaped(mapValues(value, (each) => this.encode(each)));
  }

  #element(value: Json): Json {
    const encoded = this.encode(value);
    return isObject(encoded) && JSON.stringify(encoded).length >= shortestPart ? this.#refer(encoded) : encoded;
  }

  #refer(value: Json): Json {
    const hash = createHash('sha256').update(JSON.stringify(value)).digest('base64url');
    let number = this.#numbers.get(hash);
    if (number === undefined) {
      number = this.#numbers.size + 1;
      this.#numbers.set(hash, number);
      this.#write({ part: number, value });
    }
    return { $: number };
  }
}

/** Reads what a `PartWriter` wrote. A reference to nothing throws: the recording is damaged. */
export class PartReader {
  readonly #parts = new Map<number, Json>();
  /** A message that is sent again with every request is read once, and is the same value in all of them. */
  readonly #read = new WeakMap<object, Json>();

  add({ part, value }: Part): void {
    this.#parts.set(part, this.decode(value));
  }

  decode(value: Json): Json {
    if (Array.isArray(value)) return value.map((each) => this.decode(each));
    if (!isObject(value)) return value;
    const known = this.#read.get(value);
    if (known !== undefined) return known;
    const made = this.#decoded(value);
    this.#read.set(value, made);
    return made;
  }

  #decoded(value: JsonObject): Json {
    const [name, ...others] = Object.keys(value);
    if (name === '$' && others.length === 0) {
      const found = this.#parts.get(value['$'] as number);
      if (found === undefined) throw new RangeError(`part ${JSON.stringify(value['$'])} is missing`);
      return found;
    }
    const inner = name === '$$' && others.length === 0 && isObject(value['$$']) ? value['$$'] : value;
    return mapValues(inner, (each) => this.decode(each));
  }
}

/** An object of the agent's own that looks like one of ours is wrapped. */
function escaped(value: JsonObject): JsonObject {
  return Object.keys(value).some((name) => name.startsWith('$')) ? { $$: value } : value;
}

function mapValues(value: JsonObject, change: (each: Json) => Json): JsonObject {
  const changed: JsonObject = Object.create(null) as JsonObject;
  for (const [name, each] of Object.entries(value)) changed[name] = change(each);
  return { ...changed };
}
