import type { Tokens } from '../../src/outcome/tokens.ts';
import { grown } from './rows.ts';

/** What one turn used. */
export interface TurnUsage {
  input: number;
  cached: number;
  output: number;
  /** Absent: no cost is known. */
  cost?: number;
}

const counts = 3;

/**
 * What each turn used, by the row that begins it: 24 bytes for each that used something. It is the growth of the run's totals
 * while the turn went on; a total that covers several turns belongs to none of them.
 */
export class TurnUsages {
  #length = 0;
  #rows = new Uint32Array(64);
  #tokens = new Uint32Array(64 * counts);
  #costs = new Float64Array(64);
  #before: Tokens = {};
  #turn = -1;
  /** Turns that have begun since the last report. */
  #begun = 0;

  begin(row: number): void {
    this.#turn = row;
    this.#begun += 1;
  }

  /** The totals of the run after one more report. */
  report(total: Tokens): void {
    const [before, isOne] = [this.#before, this.#begun <= 1];
    this.#before = total;
    this.#begun = 0;
    if (!isOne || this.#turn < 0) return;
    if (this.#length === 0 || this.#rows[this.#length - 1] !== this.#turn) this.#push(this.#turn);
    const at = this.#length - 1;
    for (const [index, name] of (['input', 'cacheRead', 'output'] as const).entries())
      add(this.#tokens, at * counts + index, total[name], before[name]);
    add(this.#costs, at, total.cost, before.cost);
  }

  #push(row: number): void {
    if (this.#length === this.#rows.length) {
      this.#rows = grown(this.#rows, this.#length * 2);
      this.#tokens = grown(this.#tokens, this.#length * 2 * counts);
      this.#costs = grown(this.#costs, this.#length * 2);
    }
    this.#rows[this.#length] = row;
    this.#length += 1;
  }

  /** Undefined: it is not known what this turn used. */
  of(row: number): TurnUsage | undefined {
    let [low, high] = [0, this.#length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#rows[middle] ?? 0) < row) low = middle + 1;
      else high = middle;
    }
    if (this.#length === 0 || this.#rows[low] !== row) return undefined;
    const [input = 0, cached = 0, output = 0] = this.#tokens.subarray(low * counts, (low + 1) * counts);
    const cost = this.#costs[low] ?? 0;
    if (input + output === 0) return undefined;
    return { input, cached, output, ...(cost > 0 ? { cost } : {}) };
  }
}

function add(sums: Uint32Array | Float64Array, at: number, total = 0, before = 0): void {
  sums[at] = (sums[at] ?? 0) + Math.max(0, total - before);
}
