import type { EventOf } from '../events/event.ts';

export const severalRuns = 'it continued after finishing: the last run or turn is judged';
export const emptyAnswer = 'the last answer is empty: nothing was said after the last tool call';
/** An answer that speaks of no work at all. */
export const idleAnswers = {
  asks: 'the answer only asks what to do, and no tool was called: the prompt may never have arrived',
  announces: 'the answer only says what the agent will do, and then it stopped',
} as const;
export const stillAtWork = 'still running when the run ended: ';
export const unended = 'a run before the last one has no end: it was cut off, or the lines of several runs are mixed';
export const countsWholeSession = 'the agent counts the tokens of the whole session, earlier runs included';

export function lateWarning({ limit, message }: { limit: string; message?: string | undefined }): string {
  return `${message ?? `the ${limit} limit was reached`}, and the agent told it when it had finished`;
}

/** What the end of a process says about the agent. */
export function warningsOf({ left_running = 0, unread_bytes = 0 }: EventOf<'process.ended'>): string[] {
  return [
    ...(left_running > 0
      ? [`the agent left ${left_running} ${left_running === 1 ? 'process' : 'processes'} running; ended by runwire`]
      : []),
    ...(unread_bytes > 0
      ? [`the last ${unread_bytes} bytes that the agent printed before it was stopped were not read`]
      : []),
  ];
}

/** A limit that a person changed while the run was going on. */
export function changeInWords({ limit, maximum, before, by }: EventOf<'limit.changed'>): string {
  const from = before === undefined ? '' : ` from ${before}`;
  return `the limit on ${limit} was changed${from} to ${maximum}${by === undefined ? '' : ` by ${by}`}`;
}
