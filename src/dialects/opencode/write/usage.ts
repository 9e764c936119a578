import type { EventOf } from '../../../events/event.ts';
import type { RunOutcome } from '../../../outcome/outcome.ts';
import { addCounts, type Counts, countsOf, noCounts, totalCounts } from '../../kit/counts.ts';
import type { JsonObject } from '../../../json/json.ts';

/** The usage of an assistant message. */
export function writeUsage(counts: Counts): JsonObject {
  const total = counts.input + counts.output;
  return {
    cost: counts.cost,
    tokens: {
      // The documented total is input + output, so input includes the cache and output the reasoning; this field shows it.
      ...(total === 0 ? {} : { total }),
      input: counts.input,
      output: counts.output,
      reasoning: counts.reasoning,
      cache: { read: counts.cacheRead, write: counts.cacheWrite },
    },
  };
}

/** What the steps of a run used, written once with the message that they belong to. */
export class Usage {
  #untold = noCounts;
  #reported = noCounts;

  get isEmpty(): boolean {
    return Object.values(this.#untold).every((value) => value <= 0);
  }

  see(usage: EventOf<'usage.reported'>): void {
    // Totals of a turn or of the thread are added at the end, from the outcome.
    if (usage.scope === 'step') this.#untold = addCounts(this.#untold, countsOf(usage));
  }

  take(): Counts {
    const counts = this.#untold;
    this.#reported = addCounts(this.#reported, counts);
    this.#untold = noCounts;
    return counts;
  }

  /** What must still be written so that everything adds up to the outcome's totals. */
  missing({ metrics }: RunOutcome): Counts | 'too much' | undefined {
    if (metrics.tokens_used === undefined) return undefined;
    const rest = addCounts(totalCounts(metrics), this.#reported, -1);
    // Sums of fractions differ in their last digits.
    const missing = Math.abs(rest.cost) < 1e-9 ? { ...rest, cost: 0 } : rest;
    const values = Object.values(missing);
    if (values.some((value) => value < 0)) return 'too much';
    return values.some((value) => value > 0) ? missing : undefined;
  }
}
