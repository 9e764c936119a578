import type { Draft, ErrorCode } from '../events/event.ts';
import { Failure } from '../failure.ts';
import { present } from '../json/present.ts';
import { type Cause, describeCause } from './stop.ts';

/** What the thread is told of why an attempt was stopped. `hasEnded`: there was a process, and it has; `hasClaimed`: the agent said itself how it ended. */
export function stopDrafts(cause: Cause, has: { hasEnded: boolean; hasClaimed: boolean }): Draft[] {
  const { hasEnded, hasClaimed } = has;
  if (cause.kind === 'crash') return failureDrafts('unknown', describeCause(cause), hasClaimed, cause.error);
  if (cause.kind === 'output') return failureDrafts('output', cause.message, hasClaimed);
  if (cause.kind === 'refused') return failureDrafts(cause.code, cause.message, hasClaimed);
  if (cause.kind === 'question') {
    const permission_id = cause.id ?? 'question';
    return [
      ...(cause.id === undefined
        ? [{ type: 'permission.requested', permission_id, what: cause.what } satisfies Draft]
        : []),
      { type: 'permission.resolved', permission_id, decision: 'denied', by: 'runner' },
      ...failureDrafts('permission', describeCause(cause), hasClaimed),
    ];
  }
  // A limit already says how the run ended.
  if (hasEnded || hasClaimed || cause.kind === 'limit') return [];
  return [{ type: 'agent.finished', status: 'cancelled', message: describeCause(cause) }];
}

export function failureDrafts(code: ErrorCode, message: string, hasClaimed: boolean, error?: unknown): Draft[] {
  const stack = error instanceof Error && !(error instanceof Failure) ? error.stack : undefined;
  return [
    { type: 'error', scope: 'runwire', code, message, fatal: true, ...present({ stack }) },
    ...(hasClaimed ? [] : [{ type: 'agent.finished', status: 'failed', code, message } satisfies Draft]),
  ];
}
