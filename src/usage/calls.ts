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

/** Rows for which memory is taken at first. */
const firstRows = 1024;

/** The calls of files that are read one after the other, as rows of numbers, which are kept and read again as they are; words stand beside them, each once. A field without a value is NaN. */
export class Calls {
  #rows = new Float64Array(width * firstRows);
  #length = 0;
  /** Where the rows of the file begin that is being read. */
  #start = 0;
  readonly words: string[] = [];
  readonly #places = new Map<string, number>();
  /** The row of each identity in this file. */
  readonly #starts = new Map<number, number>();

  /** All rows so far. */
  get rows(): Float64Array<ArrayBuffer> {
    return this.#rows.subarray(0, this.#length);
  }

  /** How many calls this file has so far. */
  get count(): number {
    return (this.#length - this.#start) / width;
  }

  /** The next file, with what is known of it. */
  begin(known: { rows: Float64Array; words: readonly string[] } | undefined, count: number): void {
    this.#start = this.#length;
    this.#starts.clear();
    if (known === undefined || count === 0) return;
    const places = known.words.map((word) => this.placeOf(word));
    this.#take(count * width);
    this.#rows.set(known.rows.subarray(0, count * width), this.#start);
    for (let start = this.#start; start < this.#length; start += width) {
      for (const field of [column.model, column.serviceTier]) {
        const word = this.#rows[start + field] ?? Number.NaN;
        if (!Number.isNaN(word)) this.#rows[start + field] = places[word] ?? Number.NaN;
      }
      const identity = this.#rows[start + column.identity] ?? Number.NaN;
      if (!Number.isNaN(identity)) this.#starts.set(identity, start);
    }
  }

  /** Of a file that could not be read after all, nothing stays. */
  undo(): void {
    this.#length = this.#start;
  }

  /** `mayChange`: it is read again later, and must be a row of its own until then. */
  add(call: Call, mayChange = false): void {
    const start = this.#length;
    this.#take(width);
    const rows = this.#rows;
    const identity = call.identity === undefined ? Number.NaN : numberOf(call.identity);
    rows[start + column.session] = call.session;
    rows[start + column.at] = call.at ?? Number.NaN;
    rows[start + column.identity] = identity;
    rows[start + column.model] = this.#placeIfAny(call.model);
    rows[start + column.serviceTier] = this.#placeIfAny(call.serviceTier);
    rows[start + column.kind] = call.kind === undefined ? 0 : callKinds.indexOf(call.kind);
    rows[start + column.input] = call.input ?? Number.NaN;
    rows[start + column.output] = call.output ?? Number.NaN;
    rows[start + column.reasoning] = call.reasoning ?? Number.NaN;
    rows[start + column.cacheRead] = call.cacheRead ?? Number.NaN;
    rows[start + column.cacheWrite] = call.cacheWrite ?? Number.NaN;
    rows[start + column.cacheWriteHour] = call.cacheWriteHour ?? Number.NaN;
    rows[start + column.webSearches] = call.webSearches ?? Number.NaN;
    rows[start + column.cost] = call.cost ?? Number.NaN;
    if (call.identity === undefined || mayChange) return;
    const first = this.#starts.get(identity);
    if (first === undefined) this.#starts.set(identity, start);
    else if (rows[first + column.kind] === rows[start + column.kind]) {
      takeMost(rows, first, rows, start);
      this.#length = start;
    }
  }

  placeOf(word: string): number {
    const known = this.#places.get(word);
    if (known !== undefined) return known;
    const place = this.words.push(word) - 1;
    this.#places.set(word, place);
    return place;
  }

  #placeIfAny(word: string | undefined): number {
    return word === undefined ? Number.NaN : this.placeOf(word);
  }

  #take(more: number): void {
    this.#length += more;
    if (this.#length <= this.#rows.length) return;
    const larger = new Float64Array(Math.max(this.#length, this.#rows.length * 2));
    larger.set(this.#rows);
    this.#rows = larger;
  }
}

const summed = [
  column.input,
  column.output,
  column.reasoning,
  column.cacheRead,
  column.cacheWrite,
  column.cacheWriteHour,
  column.webSearches,
  column.cost,
] as const;

/** While an answer is streamed, each of its lines has the counts so far. */
export function takeMost(into: Float64Array, at: number, from: Float64Array, start: number): void {
  for (const field of summed) {
    const more = from[start + field] ?? Number.NaN;
    if (!(more <= (into[at + field] ?? Number.NaN)) && !Number.isNaN(more)) into[at + field] = more;
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
