import { expect, it } from 'vitest';
import type { AgentEvent } from '../../src/events/event.ts';
import { OutcomeFold } from '../../src/outcome/fold.ts';

const started: AgentEvent = { type: 'thread.started', agent: 'codex', session_id: 'one', resumed: true };
const session: AgentEvent = {
  type: 'usage.reported',
  scope: 'thread',
  whole_session: true,
  input_tokens: 3600,
  output_tokens: 180,
};
const step: AgentEvent = { type: 'usage.reported', scope: 'step', input_tokens: 1200, output_tokens: 60 };
const warning = 'the agent counts the tokens of the whole session, earlier runs included';

function outcomeOf(...events: readonly AgentEvent[]) {
  const fold = new OutcomeFold();
  for (const event of events) fold.apply(event);
  const { metrics, warnings } = fold.outcome('codex', []);
  return { input: metrics.input_tokens, output: metrics.output_tokens, warnings };
}

it('takes what the session had used before from a total of the session', () => {
  const known: AgentEvent = { ...started, earlier_input_tokens: 2400, earlier_output_tokens: 120 };
  expect(outcomeOf(known, session)).toEqual({ input: 1200, output: 60, warnings: [] });
});

it('counts what the steps of the run do not tell, such as calls for a title', () => {
  const known: AgentEvent = { ...started, earlier_input_tokens: 2300, earlier_output_tokens: 110 };
  expect(outcomeOf(known, step, session)).toEqual({ input: 1300, output: 70, warnings: [] });
});

it('takes a total that is too small for the runs before as one of this run', () => {
  const known: AgentEvent = { ...started, earlier_input_tokens: 3000, earlier_output_tokens: 150 };
  expect(outcomeOf(known, step, session)).toEqual({ input: 3600, output: 180, warnings: [] });
});

it('believes the steps of the run when nobody knows what was before', () => {
  expect(outcomeOf(started, step, session)).toEqual({ input: 1200, output: 60, warnings: [] });
});

it('says what a total includes when there is nothing else', () => {
  expect(outcomeOf(started, session)).toEqual({ input: 3600, output: 180, warnings: [warning] });
});

it('takes the total of a new session as it is', () => {
  expect(outcomeOf({ ...started, resumed: false }, step, session)).toEqual({ input: 3600, output: 180, warnings: [] });
});
