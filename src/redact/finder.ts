import { secretHeads } from './heads.ts';
import { advance, fails, has, type Pattern, pattern, undecided } from './pattern.ts';
import { privateKeyBody } from './private-key.ts';
import { headLength, marker, type Shape, secretShapes } from './shapes.ts';

/** How far a secret goes on from `at`; `done` when no further text could prolong it. */
export type Tail = (text: string, at: number) => { to: number; done: boolean };

/** A secret to look for. */
export interface Sought {
  marker: string;
  /** What must stand before it, if anything. */
  context: Pattern | undefined;
  /** Whether it may begin at `at`; nothing before `floor` may be looked at. */
  mayBegin(text: string, at: number, floor: number): boolean;
  /** Where the secret at `at` ends, or `fails`, or `undecided`. */
  match(text: string, at: number, final: boolean, context: string): number;
  tail: Tail | undefined;
}

/** Characters before a place that decide whether a secret may begin there. */
export const lookBehind = 32;

const key = (text: string, at: number, length: number): number => {
  let out = 1;
  for (let i = at; i < at + length; i += 1) out = (out << 7) | (text.charCodeAt(i) & 127);
  return out;
};

/** A hash of the last three characters, made from that of the three before: cheap enough for every character of a stream. */
const rolled = (hash: number, code: number): number => ((hash << 5) ^ code) & 0x7fff;

/** A plain function of its own: this loop is what redaction costs, and it must be compiled as one. */
function nextHit(table: Uint8Array, text: string, at: number): number {
  const length = text.length;
  if (length - at < headLength) return -1;
  let hash = rolled(text.charCodeAt(at), text.charCodeAt(at + 1));
  for (let i = at + 2; i < length; i += 1) {
    hash = rolled(hash, text.charCodeAt(i));
    if (table[hash] === 1) return i - 2;
  }
  return -1;
}

/** Finds the places where a secret may begin. */
export class Finder {
  /** Indexed by the hash of three characters: 1 where they may begin something. */
  readonly #mayBegin = new Uint8Array(0x8000);
  /** By the first one, two or three characters. */
  readonly #sought = new Map<number, Sought[]>();

  constructor(values: readonly string[]) {
    for (const value of values) this.#add(literal(value), [value.slice(0, headLength)]);
    for (const { sought, heads } of knownShapes()) this.#add(sought, heads);
  }

  #add(sought: Sought, heads: readonly string[]): void {
    for (const head of heads) {
      let hash = 0;
      for (let i = 0; i < headLength; i += 1) hash = rolled(hash, head.charCodeAt(i));
      this.#mayBegin[hash] = 1;
      for (let length = 1; length <= headLength; length += 1) {
        const place = key(head, 0, length);
        const list = this.#sought.get(place);
        if (list === undefined) this.#sought.set(place, [sought]);
        else if (!list.includes(sought)) list.push(sought);
      }
    }
  }

  /** The first place from `at` on where a secret may begin; -1: none. With `open`, also where the text ends too early to tell. */
  next(text: string, at: number, open: boolean): number {
    const length = text.length;
    for (let place = nextHit(this.#mayBegin, text, at); place >= 0; place = nextHit(this.#mayBegin, text, place + 1)) {
      if (this.#sought.has(key(text, place, headLength))) return place;
    }
    if (!open) return -1;
    for (let place = Math.max(at, length - headLength + 1); place < length; place += 1) {
      if (this.#sought.has(key(text, place, length - place))) return place;
    }
    return -1;
  }

  at(text: string, place: number): readonly Sought[] {
    return this.#sought.get(key(text, place, Math.min(headLength, text.length - place))) ?? [];
  }
}

function literal(value: string): Sought {
  return {
    marker: marker('secret-value'),
    context: undefined,
    mayBegin: () => true,
    match(text, at, final) {
      if (text.startsWith(value, at)) return at + value.length;
      const rest = text.length - at;
      return !final && rest < value.length && value.startsWith(text.slice(at)) ? undecided : fails;
    },
    tail: undefined,
  };
}

let known: { sought: Sought; heads: string[] }[] | undefined;

function knownShapes(): { sought: Sought; heads: string[] }[] {
  known ??= secretShapes.map((shape, index) => ({ sought: soughtOf(shape), heads: inHeads(secretHeads[index] ?? '') }));
  return known;
}

function inHeads(joined: string): string[] {
  return Array.from({ length: joined.length / headLength }, (_, index) => joined.slice(index * headLength, (index + 1) * headLength));
}

function soughtOf(shape: Shape): Sought {
  const flags = shape.ignoreCase === true ? 'i' : '';
  // Made when they are first looked for: a run starts with all of them, and meets none.
  const secret = onDemand(() => pattern(shape.secret, flags));
  const after = onDemand(() => pattern(shape.after ?? ''));
  const context = shape.context === undefined ? undefined : onDemand(() => pattern(shape.context ?? '', flags));
  const boundary = shape.boundary ?? (shape.context === undefined ? 'word' : 'any');
  const { accept, behind } = shape;
  return {
    marker: marker(shape.name),
    get context() {
      return context?.();
    },
    mayBegin: (text, at, floor) =>
      isBoundary(text, at, floor, boundary) && (behind === undefined || behind.test(text.slice(Math.max(floor, at - lookBehind), at))),
    match(text, at, final, before) {
      const end = advance(secret(), text, at, final);
      if (end < 0) return end;
      const follows = advance(after(), text, end, final);
      if (follows < 0) return follows;
      if (accept !== undefined && !accept(text.slice(at, end), before)) return fails;
      if (shape.block !== true) return end;
      const body = privateKeyBody(text, end);
      if (body.to > end) return end;
      return body.done || final ? fails : undecided;
    },
    tail: shape.block === true ? privateKeyBody : shape.tail === undefined ? undefined : runOf(shape.tail),
  };
}

function onDemand<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

/** A run of characters; a full stop at its very end belongs to the sentence, not to the secret. */
function runOf(source: string): Tail {
  const run = onDemand(() => pattern(source)[0] as Pattern[number]);
  return (text, at) => {
    const place = run();
    let to = at;
    for (; to < text.length; to += 1) {
      const code = text.charCodeAt(to);
      if (!has(place, code)) return { to, done: true };
      if (code !== 46) continue;
      if (to + 1 === text.length) return { to, done: false };
      if (!has(place, text.charCodeAt(to + 1)) || text.charCodeAt(to + 1) === 46) return { to, done: true };
    }
    return { to, done: false };
  };
}

function isBoundary(text: string, at: number, floor: number, kind: 'word' | 'name' | 'any'): boolean {
  if (kind === 'any' || at <= floor) return true;
  const code = text.charCodeAt(at - 1);
  if (kind === 'name' && (code === 45 || code === 95)) return false;
  if (!isAlphanumeric(code)) return true;
  // The letter may be the end of an escape: \n in JSON, %3D in a URL, \u003d, a terminal's colour.
  return /(?:\\[nrtbf]|%[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|\[[0-9;]{0,12}m)$/.test(text.slice(Math.max(floor, at - 16), at));
}

function isAlphanumeric(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57);
}
