import type { EventOf } from '../../../events/event.ts';
import type { RunOutcome } from '../../../outcome/outcome.ts';
import type { JsonObject } from '../../dialect.ts';

interface Tokens {
  input: number;
  output: number;
  read: number;
  write: number;
  cost: number;
}

const fields = ['input', 'output', 'read', 'write', 'cost'] as const;
const nothing: Tokens = { input: 0, output: 0, read: 0, write: 0, cost: 0 };

export const noUsage: JsonObject = writeUsage(nothing);

/** Each message carries its own tokens: what has been written, what waits for the next message, what is still owed. */
export class Usage {
  #written: Tokens = nothing;
  #waiting: Tokens = nothing;

  see(usage: EventOf<'usage.reported'>): void {
    // Totals of a turn or a thread repeat the steps, or come when the message is over: the last message settles them.
    if (usage.scope !== 'step') return;
    this.#waiting = add(this.#waiting, {
      input: usage.input_tokens ?? 0,
      output: usage.output_tokens ?? 0,
      read: usage.cache_read_tokens ?? 0,
      write: usage.cache_write_tokens ?? 0,
      cost: usage.cost_usd ?? 0,
    });
  }

  get isWaiting(): boolean {
    return this.#waiting !== nothing;
  }

  take(): JsonObject {
    const usage = this.#waiting;
    this.#written = add(this.#written, usage);
    this.#waiting = nothing;
    return writeUsage(usage);
  }

  isComplete(metrics: RunOutcome['metrics']): boolean {
    const total = totalOf(metrics);
    return this.#written.input === total.input && this.#written.output === total.output;
  }

  /** Makes the next message carry all that is owed; true: more has been written than the run came to. */
  settle(metrics: RunOutcome['metrics']): boolean {
    const total = totalOf(metrics);
    const sum = add(this.#written, this.#waiting);
    if (sum.input === total.input && sum.output === total.output) return false;
    const owed = add(total, this.#written, -1);
    if (fields.some((field) => owed[field] < 0)) return true;
    this.#waiting = owed;
    return false;
  }
}

function totalOf(metrics: RunOutcome['metrics']): Tokens {
  return {
    input: metrics.input_tokens ?? 0,
    output: metrics.output_tokens ?? 0,
    read: metrics.cache_read_tokens ?? 0,
    write: metrics.cache_write_tokens ?? 0,
    cost: metrics.cost_source === 'reported' ? (metrics.cost ?? 0) : 0,
  };
}

function add(a: Tokens, b: Tokens, sign = 1): Tokens {
  const sum = { ...nothing };
  for (const field of fields) sum[field] = a[field] + sign * b[field];
  return sum;
}

function writeUsage({ input, output, read, write, cost }: Tokens): JsonObject {
  return {
    input: Math.max(0, input - read - write),
    output,
    cacheRead: read,
    cacheWrite: write,
    totalTokens: input + output,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: cost },
  };
}
