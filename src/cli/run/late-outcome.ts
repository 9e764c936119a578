import { Thread, type ThreadOptions } from '../../pipeline/thread.ts';
import { present } from '../../json/present.ts';
import { Redactor } from '../../redact/redactor.ts';
import { secretValues } from '../../redact/secrets.ts';
import type { RunOutcome } from '../../outcome/outcome.ts';
import type { RunSpec } from '../../contract/spec.ts';
import { timeIsUp } from '../../run/stop.ts';
import type { Environment } from '../../words/vocabulary.ts';

export interface Late {
  spec: RunSpec;
  env: Environment;
  startedAt: number;
  now: () => number;
  timeoutMs: number;
}

/** The outcome of a run that could not be ended cleanly: built from scratch, since the state of a stuck run cannot be relied on. */
export function lateOutcome(
  { spec, env, startedAt, now, timeoutMs }: Late,
  more: Pick<ThreadOptions, 'onRecord'> & { session?: string } = {},
): RunOutcome {
  const { session: session_id, ...options } = more;
  const thread = new Thread({
    clock: now,
    startedAt,
    introduction: { task: spec.prompt, ...present({ session_id, model: spec.model }) },
    ...(spec.redact ? { redact: new Redactor({ values: secretValues(env) }) } : {}),
    ...options,
  });
  const { limit } = timeIsUp(timeoutMs);
  thread.stopped('limit');
  thread.tell({ type: 'limit.reached', ...limit });
  return thread.end('runwire');
}
