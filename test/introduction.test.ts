import { expect, it } from 'vitest';
import { eventsOf, facts, read } from './support/reading.ts';

it('keeps the introduction of an agent that printed something else before', () => {
  const reading = read({ stdout: `Welcome!\n{"type":"thread.started","thread_id":"t-1"}\n` });
  expect(facts(reading)).toEqual([
    { type: 'thread.started', agent: 'codex', session_id: 't-1' },
    { type: 'log', stream: 'stdout', cause: 'noise', text: 'Welcome!' },
  ]);
});

it('starts a thread for a run that never introduced itself, and keeps its words', () => {
  const reading = read({ stdout: 'Welcome!\n' });
  expect(facts(reading)).toEqual([{ type: 'thread.started' }, { type: 'log', stream: 'stdout', cause: 'noise', text: 'Welcome!' }]);
});

it('does not wait for ever', () => {
  const reading = read({ dialect: 'codex', stdout: 'x\n'.repeat(1500) });
  expect(eventsOf(reading, 'log')).toHaveLength(1500);
  expect(eventsOf(reading, 'thread.started')).toHaveLength(1);
});
