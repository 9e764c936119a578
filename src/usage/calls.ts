/** A model call, as an agent's own files tell it. The input includes the cache, the output includes the reasoning. */
export interface Call {
  /** Which of the sessions in the file made it. */
  session: number;
  /** When it was made (ms since the epoch). */
  at?: number | undefined;
  /** By which it is known again in another file; undefined: it stands nowhere else. */
  identity?: string | undefined;
  model?: string | undefined;
  serviceTier?: string | undefined;
  input?: number | undefined;
  output?: number | undefined;
  reasoning?: number | undefined;
  cacheRead?: number | undefined;
  cacheWrite?: number | undefined;
  cacheWriteHour?: number | undefined;
  webSearches?: number | undefined;
  /** In USD, where the agent itself tells it. */
  cost?: number | undefined;
  kind?: CallKind | undefined;
}

/**
 * `sub-agent`: made by a sub-agent whose calls stand between those of its session. `rest`: of calls that are only told together, so that
 * nothing tells how large each of them was. `total`: what a model used in the whole session, calls that left no trace included.
 * `answer`: of a file that may list its calls beside its answers; then those count instead.
 */
export const callKinds = ['call', 'sub-agent', 'rest', 'total', 'answer'] as const;
type CallKind = (typeof callKinds)[number];

const numbers = [
  'input',
  'output',
  'reasoning',
  'cacheRead',
  'cacheWrite',
  'cacheWriteHour',
  'webSearches',
  'cost',
] as const;

/** Where a field of a call is in its row. */
export const column = {
  session: 0,
  at: 1,
  identity: 2,
  model: 3,
  serviceTier: 4,
  kind: 5,
  input: 6,
  output: 7,
  reasoning: 8,
  cacheRead: 9,
  cacheWrite: 10,
  cacheWriteHour: 11,
  webSearches: 12,
  cost: 13,
} as const;
export const width = 14;

/** Calls as rows of numbers, which are kept and read again as they are; words stand beside them, each once. A field without a value is NaN. */
export class Calls {
  rows: Float64Array<ArrayBuffer>;
  #length: number;
  readonly words: string[];
  readonly #places: Map<string, number>;

  constructor(rows: Float64Array<ArrayBuffer> = new Float64Array(0), words: readonly string[] = []) {
    this.rows = rows;
    this.#length = rows.length;
    this.words = [...words];
    this.#places = new Map(words.map((word, place) => [word, place]));
  }

  get count(): number {
    return this.#length / width;
  }

  add(call: Call): void {
    const start = this.#length;
    this.#length += width;
    if (this.#length > this.rows.length) this.#grow();
    const { rows } = this;
    rows[start + column.session] = call.session;
    rows[start + column.at] = call.at ?? Number.NaN;
    rows[start + column.identity] = call.identity === undefined ? Number.NaN : numberOf(call.identity);
    rows[start + column.model] = this.#placeOf(call.model);
    rows[start + column.serviceTier] = this.#placeOf(call.serviceTier);
    rows[start + column.kind] = callKinds.indexOf(call.kind ?? 'call');
    for (const name of numbers) rows[start + column[name]] = call[name] ?? Number.NaN;
  }

  /** Forgets the calls after the first ones. */
  cut(count: number): void {
    this.#length = count * width;
  }

  /** Exactly the rows that were added. */
  finished(): Float64Array<ArrayBuffer> {
    return this.rows.slice(0, this.#length);
  }

  #grow(): void {
    const larger = new Float64Array(Math.max(width * 16, this.rows.length * 2));
    larger.set(this.rows);
    this.rows = larger;
  }

  #placeOf(word: string | undefined): number {
    if (word === undefined) return Number.NaN;
    const known = this.#places.get(word);
    if (known !== undefined) return known;
    const place = this.words.push(word) - 1;
    this.#places.set(word, place);
    return place;
  }
}

/** 53 bits of an identity: of ten million, two are alike once in two hundred times. */
function numberOf(identity: string): number {
  let [low, high] = [0xdeadbeef, 0x41c6ce57];
  for (let index = 0; index < identity.length; index += 1) {
    const unit = identity.charCodeAt(index);
    low = Math.imul(low ^ unit, 2_654_435_761);
    high = Math.imul(high ^ unit, 1_597_334_677);
  }
  low = Math.imul(low ^ (low >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909);
  high = Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909);
  return 4_294_967_296 * (2_097_151 & high) + (low >>> 0);
}
