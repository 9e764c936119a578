import type { EventOf } from '../../../events/event.ts';
import type { RunOutcome } from '../../../outcome/outcome.ts';
import { addCounts, type Counts, countsOf, noCounts, totalCounts } from '../../kit/counts.ts';
import type { JsonObject } from '../../../json/json.ts';

const written = ['input', 'output', 'cacheRead', 'cacheWrite', 'cost'] as const;

export const noUsage: JsonObject = writeUsage(noCounts);

/** Each message carries its own tokens. Tracks what has been written, what waits for the next message, and what is still missing. */
export class Usage {
  #written = noCounts;
  #waiting = noCounts;

  see(usage: EventOf<'usage.reported'>): void {
    // Totals of a turn or a thread repeat the steps, or come after the message has ended: the last message makes up for them.
    if (usage.scope === 'step') this.#waiting = addCounts(this.#waiting, countsOf(usage));
  }

  get isWaiting(): boolean {
    return this.#waiting !== noCounts;
  }

  take(): JsonObject {
    const usage = this.#waiting;
    this.#written = addCounts(this.#written, usage);
    this.#waiting = noCounts;
    return writeUsage(usage);
  }

  isComplete(metrics: RunOutcome['metrics']): boolean {
    const total = totalCounts(metrics);
    return this.#written.input === total.input && this.#written.output === total.output;
  }

  /** Makes the next message carry all that is missing; true: more has been written than the run's total. */
  settle(metrics: RunOutcome['metrics']): boolean {
    const total = totalCounts(metrics);
    const sum = addCounts(this.#written, this.#waiting);
    if (sum.input === total.input && sum.output === total.output) return false;
    const owed = addCounts(total, this.#written, -1);
    if (written.some((field) => owed[field] < 0)) return true;
    this.#waiting = owed;
    return false;
  }
}

function writeUsage({ input, output, cacheRead, cacheWrite, cost }: Counts): JsonObject {
  return {
    input: Math.max(0, input - cacheRead - cacheWrite),
    output,
    cacheRead,
    cacheWrite,
    totalTokens: input + output,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: cost },
  };
}
