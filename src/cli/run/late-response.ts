import { Thread } from '../../pipeline/thread.ts';
import { Writer } from '../../pipeline/writer.ts';
import { present } from '../../present.ts';
import { Redactor } from '../../redact/redactor.ts';
import { secretValues } from '../../redact/secrets.ts';
import type { RunSpec } from '../../run/spec.ts';
import { timeIsUp } from '../../run/stop.ts';
import type { Environment } from '../../vocabulary.ts';

interface Late {
  spec: RunSpec;
  writer: ConstructorParameters<typeof Writer>;
  /** The name of the scratchpad. */
  scratchpad: string;
  env: Environment;
  startedAt: number;
  now: () => number;
  timeoutMs: number;
}

/** The response of a run that could not be ended in order: made anew, since nothing of the run itself can be relied on in the midst of it. */
export function lateResponse({ spec, writer, scratchpad, env, startedAt, now, timeoutMs }: Late): string {
  const out = new Writer(...writer);
  const thread = new Thread({
    clock: now,
    startedAt,
    introduction: { task: spec.prompt, session_id: scratchpad, ...present({ model: spec.model }) },
    ...(spec.redact ? { redact: new Redactor({ values: secretValues(env) }) } : {}),
    onRecord: (record) => out.record(record),
  });
  const { limit } = timeIsUp(timeoutMs);
  thread.stopped('limit');
  thread.tell({ type: 'limit.reached', ...limit });
  out.end(thread.end('runwire'));
  return out.takePieces().join('');
}
