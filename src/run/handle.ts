import type { EventRecord } from '../events/event.ts';
import type { RunOutcome } from '../outcome/outcome.ts';
import type { RunSpec } from './spec.ts';
import type { Cause } from './stop.ts';

/** A run: what it is asked for, its records as they happen, and what it came to. */
export interface Run extends AsyncIterable<EventRecord> {
  readonly id: string;
  readonly spec: RunSpec;
  /** For any number of readers, each from where it wants: all records with a higher sequence, until the run ends. */
  records(after?: number): AsyncIterable<EventRecord>;
  /** Rejects, with a `Failure`, only when the request makes no sense; a run that failed has an outcome. */
  readonly outcome: Promise<RunOutcome>;
  /** Ends the run with everything that it started, its children too. */
  cancel(cause?: Cause): void;
}
