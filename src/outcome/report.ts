import type { EventOf } from '../events/event.ts';
import type { RunOutcome } from './outcome.ts';

type Report = EventOf<'thread.completed'>['final_report'];

// The event cannot name the outcome's type, which is itself built from events: these two functions are the only places that know both.

/** The outcome as the last event carries it. */
export function reportOf(outcome: RunOutcome): Report {
  return outcome as unknown as Report;
}

/** The outcome that the last event carries. */
export function reportedOutcome({ final_report: report }: EventOf<'thread.completed'>): RunOutcome {
  return report as unknown as RunOutcome;
}
