import { mayFold } from './folded.ts';
import { HeadsTable } from './heads-table.ts';
import { secretHeads } from './heads.ts';
import { headLength, secretShapes } from './shapes.ts';
import { literal, type SecretPattern, secretPatternOf } from './secret-pattern.ts';

/** Any character, and the end of the text. */
const anything = -1;

/** Finds the places where a secret may begin. */
export class Finder {
  readonly #table: HeadsTable<SecretPattern>;
  /** Shapes that begin with arbitrary hexadecimal digits. */
  readonly #hex: readonly SecretPattern[];

  /** Of values with the same beginning, the first one wins. `kinds`: use only these known shapes. */
  constructor(values: readonly string[], kinds?: readonly string[]) {
    const known = kinds === undefined ? knownShapes() : shapesOf(kinds);
    this.#hex = known.hex;
    this.#table = values.length === 0 ? known.table : new HeadsTable(known.table);
    for (const value of values.toReversed())
      this.#table.add(value.slice(0, headLength), maskOf(value, 3), maskOf(value, 4), literal(value));
  }

  /**
   * The first place from `at` on where a secret may begin; -1: none. With `open`, also where the text ends too early to tell.
   * Nothing before `floor` is looked at.
   */
  next(text: string, at: number, open: boolean, floor: number): number {
    for (let place = this.#table.next(text, at); place >= 0; place = this.#table.next(text, place + 1)) {
      const list = this.#table.at(text, place);
      for (let i = 0; i < list.length; i += 1)
        if ((list[i] as SecretPattern).fits(text, place, floor, !open)) return place;
    }
    if (!open) return -1;
    for (let place = Math.max(at, text.length - headLength + 1); place < text.length; place += 1) {
      if (this.#table.endsIn(text, place)) return place;
    }
    return -1;
  }

  /** What may begin at a place; `isHex`: including shapes that begin with hexadecimal digits. */
  at(text: string, place: number, isHex: boolean): readonly SecretPattern[] {
    const listed = this.#table.at(text, place);
    return isHex ? [...listed, ...this.#hex] : listed;
  }
}

/** A line break, escaped or not. */
const lineEnd = bitOf('\n') | bitOf('\r') | bitOf('\\');

function maskOf(value: string, at: number): number {
  return at < value.length ? bitOf(value[at] ?? '') | (mayFold(value) ? lineEnd : 0) : anything;
}

function bitOf(character: string): number {
  return 1 << (character.charCodeAt(0) & 31);
}

interface Known {
  table: HeadsTable<SecretPattern>;
  hex: SecretPattern[];
}

let known: Known | undefined;

function knownShapes(): Known {
  return (known ??= shapesOf());
}

function shapesOf(kinds?: readonly string[]): Known {
  const table = new HeadsTable<SecretPattern>();
  const hex: SecretPattern[] = [];
  for (const [back, shape] of secretShapes.toReversed().entries()) {
    if (kinds?.includes(shape.name) === false) continue;
    const [heads = '', fourth = anything, fifth = anything] = secretHeads[secretShapes.length - 1 - back] ?? [];
    const pattern = secretPatternOf(shape);
    if (shape.startsWithHex === true) hex.unshift(pattern);
    for (let at = 0; at < heads.length; at += headLength)
      table.add(heads.slice(at, at + headLength), fourth, fifth, pattern);
  }
  return { table, hex };
}
