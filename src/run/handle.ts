import type { EventRecord } from '../events/event.ts';
import type { RunOutcome } from '../outcome/outcome.ts';
import type { RunSpec } from '../contract/spec.ts';
import type { LimitOrder } from '../contract/orders.ts';
import type { Cause } from './stop.ts';

/** A run: its spec, its records as they happen, and its outcome. */
export interface Run extends AsyncIterable<EventRecord> {
  readonly id: string;
  readonly spec: RunSpec;
  /** All records with a higher sequence, until the run ends; any number of readers, each with its own starting point. */
  records(after?: number): AsyncIterable<EventRecord>;
  /** Rejects, with a `Failure`, only when the request makes no sense; a run that failed has an outcome. */
  readonly outcome: Promise<RunOutcome>;
  /** Stops its agent where it is, and all its clocks; returns why not. `by`: who asks. */
  pause(by: string): string | undefined;
  /** Lets it go on, also where it waits for a limit to reset; returns why not. */
  resume(by: string): string | undefined;
  /** Changes limits while it is going on; returns why not. */
  limit(limits: LimitOrder, by: string): string | undefined;
  /** Ends the run with everything that it started, its children too. */
  cancel(cause?: Cause): void;
}
