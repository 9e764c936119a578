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

const fields = 4;

/**
 * What each turn used, by the row that begins it: forty bytes a turn. It is the growth of the run's totals while the turn went
 * on; a total that covers several turns belongs to none of them.
 */
export class TurnUsages {
  #length = 0;
  #rows = new Uint32Array(64);
  #sums = new Float64Array(64 * fields);
  #before: Tokens = {};
  /** Turns that have begun since the last report. */
  #begun = 0;

  begin(row: number): void {
    if (this.#length === this.#rows.length) {
      this.#rows = grown(this.#rows, this.#length * 2);
      this.#sums = grown(this.#sums, this.#length * 2 * fields);
    }
    this.#rows[this.#length] = row;
    this.#length += 1;
    this.#begun += 1;
  }

  /** The totals of the run after one more report. */
  report(total: Tokens): void {
    const before = this.#before;
    const [isOne, at] = [this.#begun <= 1, (this.#length - 1) * fields];
    this.#before = total;
    this.#begun = 0;
    if (!isOne || this.#length === 0) return;
    this.#add(at, total.input, before.input);
    this.#add(at + 1, total.cacheRead, before.cacheRead);
    this.#add(at + 2, total.output, before.output);
    this.#add(at + 3, total.cost, before.cost);
  }

  #add(at: number, total = 0, before = 0): void {
    this.#sums[at] = (this.#sums[at] ?? 0) + Math.max(0, total - before);
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
    const [input = 0, cached = 0, output = 0, cost = 0] = this.#sums.subarray(low * fields, (low + 1) * fields);
    if (input + output === 0) return undefined;
    return { input, cached, output, ...(cost > 0 ? { cost } : {}) };
  }
}
