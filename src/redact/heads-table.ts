import { escape } from './terminal-escape.ts';

/** The first three characters decide whether something may begin at a place. */
const headLength = 3;

/** The last three characters as one number, computed from the previous number: cheap enough for every character of a stream. */
const rolled = (head: number, code: number): number => ((head << 7) ^ code) & mostHeads;
const mostHeads = 0x1fffff;

function headAt(text: string, at: number): number {
  return rolled(rolled(text.charCodeAt(at), text.charCodeAt(at + 1)), text.charCodeAt(at + 2));
}

interface Entry<Item> {
  items: readonly Item[];
  /** Which characters may follow in the next two places, one bit for each code modulo 32. */
  fourth: number;
  fifth: number;
}

/** The first three characters of everything that is searched for, and what may follow in the next two places. */
export class HeadsTable<Item> {
  /** A table whose entries also apply, unless one of our own begins in the same way. */
  readonly #shared: HeadsTable<Item> | undefined;
  /** One bit for each combination of three characters, set if something begins with them. */
  readonly #begins: Uint32Array;
  readonly #entries = new Map<number, Entry<Item>>();
  readonly #added: [head: string, item: Item][] = [];
  #short: Map<string, Item[]> | undefined;

  constructor(shared?: HeadsTable<Item>) {
    this.#shared = shared;
    this.#begins = shared === undefined ? new Uint32Array((mostHeads + 1) / 32) : shared.#begins.slice();
  }

  /** The item added last is found first. */
  add(head: string, fourth: number, fifth: number, item: Item): void {
    const number = headAt(head, 0);
    this.#begins[number >>> 5] = (this.#begins[number >>> 5] ?? 0) | (1 << (number & 31));
    const known = this.#entry(number) ?? { items: [], fourth: 0, fifth: 0 };
    this.#entries.set(number, {
      items: before(item, known.items),
      fourth: known.fourth | fourth,
      fifth: known.fifth | fifth,
    });
    this.#added.push([head, item]);
    this.#short = undefined;
  }

  /** Items by their first one or two characters, for the end of a text. Built on first use: many runs never need it. */
  #starts(): ReadonlyMap<string, readonly Item[]> {
    if (this.#short !== undefined) return this.#short;
    const short = new Map<string, Item[]>();
    for (const [head, item] of this.#allAdded().toReversed())
      for (let length = 1; length < headLength; length += 1) {
        const start = head.slice(0, length);
        const items = short.get(start);
        if (items === undefined) short.set(start, [item]);
        else if (items.at(-1) !== item) items.push(item);
      }
    return (this.#short = short);
  }

  #allAdded(): readonly [head: string, item: Item][] {
    return this.#shared === undefined ? this.#added : [...this.#shared.#allAdded(), ...this.#added];
  }

  #entry(number: number): Entry<Item> | undefined {
    const entry = this.#entries.get(number);
    return entry !== undefined || this.#shared === undefined ? entry : this.#shared.#entry(number);
  }

  /** The first place from `at` on where something may begin, or where the text ends too early to tell; -1: none. */
  next(text: string, at: number): number {
    for (let place = nextHit(this.#begins, text, at); place >= 0; place = nextHit(this.#begins, text, place + 1)) {
      const entry = this.#entry(headAt(text, place));
      if (entry === undefined) continue;
      if (place + 4 >= text.length) return place;
      const fourth = text.charCodeAt(place + 3);
      const fifth = text.charCodeAt(place + 4);
      const follows = (entry.fourth >>> (fourth & 31)) & (entry.fifth >>> (fifth & 31));
      if ((follows & 1) === 1 || fourth === escape || fifth === escape) return place;
    }
    return -1;
  }

  /** Whether something may begin in the last one or two characters of a text. */
  endsIn(text: string, place: number): boolean {
    return this.#starts().has(text.slice(place));
  }

  at(text: string, place: number): readonly Item[] {
    const items =
      text.length - place < headLength
        ? this.#starts().get(text.slice(place))
        : this.#entry(headAt(text, place))?.items;
    return items ?? [];
  }
}

function before<Item>(item: Item, items: readonly Item[]): readonly Item[] {
  return items[0] === item ? items : [item, ...items];
}

/**
 * Not `text.charCodeAt`: V8 represents strings in several ways, and after seeing a few of them it looks up the method again for every
 * character, which takes three times as long.
 */
const { charCodeAt } = String.prototype;

/** A separate plain function: this loop is most of the cost of redaction, and it must be compiled as a unit. */
function nextHit(begins: Uint32Array, text: string, at: number): number {
  const length = text.length;
  if (length - at < headLength) return -1;
  let head = rolled(charCodeAt.call(text, at), charCodeAt.call(text, at + 1));
  for (let i = at + 2; i < length; i += 1) {
    head = rolled(head, charCodeAt.call(text, i));
    if ((((begins[head >>> 5] as number) >>> (head & 31)) & 1) === 1) return i - 2;
  }
  return -1;
}
