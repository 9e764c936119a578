import type { RunOutcome } from '../../../src/outcome/outcome.ts';
import { Thread } from '../../../src/pipeline/thread.ts';
import type { Sink } from '../../../src/run/sinks/sink.ts';

export interface Script {
  steps: number;
  text?: (step: number) => string;
  between: (step: number) => Promise<void>;
}

/** A run as the `run` command tells it to its sinks, of a made-up agent. */
export async function perform(
  sink: Sink,
  { steps, text = (step) => `step ${step}`, between }: Script,
): Promise<RunOutcome> {
  const thread = new Thread({ clock: Date.now, newId: () => 'thread-1', onRecord: (record) => sink.record?.(record) });
  thread.emit({
    type: 'thread.started',
    task: 'Count the steps',
    agent: 'counter',
    agent_version: '3',
    session_id: 's-9',
    model: 'm-1',
  });
  for (let step = 1; step <= steps; step += 1) {
    thread.emit({ type: 'text.completed', message_id: `m${step}`, block_id: `b${step}`, text: text(step) });
    await between(step);
  }
  thread.emit({ type: 'agent.finished', status: 'ok' });
  const outcome = thread.end('runwire');
  sink.end?.(outcome);
  await sink.close?.();
  return outcome;
}
