import type { Draft, ErrorCode, EventOf, EventRecord } from '../../events/event.ts';
import { codeOfClass } from '../../dialects/faults.ts';
import { Failure } from '../../failure.ts';
import type { RunOutcome } from '../../outcome/outcome.ts';
import type { Price } from '../../outcome/usage.ts';
import type { FailOn } from '../../outcome/verdict.ts';
import { Recorder } from '../../pipeline/recorder.ts';
import { Thread } from '../../pipeline/thread.ts';
import type { Redactor } from '../../redact/redactor.ts';
import { describeCause, type Stop } from './stop.ts';

/** Where a run is told. */
export interface Sink {
  record?(record: EventRecord): void;
  end?(outcome: RunOutcome): void;
}

export interface Performance {
  /** What we know of the run ourselves; the agent's own introduction completes it. */
  introduction: Omit<EventOf<'thread.started'>, 'type'>;
  sinks: readonly Sink[];
  stop: Stop;
  redact: Redactor | undefined;
  failOn: readonly FailOn[];
  clock: () => number;
  loadPrice: () => Promise<Price>;
  work: (emit: (draft: Draft) => void) => Promise<void>;
}

/** One run to its verdict: whatever happens on the way, every sink gets a beginning and an end. */
export async function perform({ introduction, sinks, stop, redact, failOn, clock, loadPrice, work }: Performance): Promise<RunOutcome> {
  const recorder = new Recorder(() => globalThis.crypto.randomUUID());
  const thread = new Thread({
    clock,
    failOn,
    onEvent(read) {
      const record = recorder.record(read);
      for (const sink of sinks) sink.record?.(record);
    },
    ...(redact === undefined ? {} : { redact }),
  });
  let open = true;
  let claimed = false;

  function emit(draft: Draft): void {
    if (!open) return;
    if (draft.type === 'agent.finished') claimed = true;
    thread.emit(draft.type === 'thread.started' ? { ...introduction, ...draft } : draft);
  }

  function fail(code: ErrorCode, message: string, error?: unknown): void {
    emit({ type: 'thread.started' });
    const stack = error instanceof Error && !(error instanceof Failure) && error.stack !== undefined ? { stack: error.stack } : {};
    emit({ type: 'error', scope: 'runwire', code, message, fatal: true, ...stack });
    if (!claimed) emit({ type: 'agent.finished', status: 'failed', code, message });
  }

  stop.onStop = (cause) => {
    if (cause.kind === 'time')
      emit({ type: 'limit.reached', limit: 'time', value: cause.ms / 1000, maximum: cause.ms / 1000, message: describeCause(cause) });
  };
  try {
    await Promise.race([work(emit), stop.overdue]);
  } catch (error) {
    if (error instanceof Failure) fail(codeOfClass[error.code], error.message, error);
    else stop.now({ kind: 'crash', error });
  }
  const { cause } = stop;
  if (cause?.kind === 'crash') fail('unknown', describeCause(cause), cause.error);
  else if (cause !== undefined && !claimed) {
    emit({ type: 'thread.started' });
    emit({ type: 'agent.finished', status: 'cancelled', message: describeCause(cause) });
  }
  open = false;
  const price = thread.needsPrice ? await loadPrice() : undefined;
  const outcome = thread.end('runwire', stop.processEnd, price);
  for (const sink of sinks) sink.end?.(outcome);
  return outcome;
}
