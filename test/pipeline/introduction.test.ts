import { describe, expect, it } from 'vitest';
import { eventsOf, facts, read } from '../support/reading.ts';

it('keeps the introduction of an agent that printed something else before', () => {
  const reading = read({ stdout: `Welcome!\n{"type":"thread.started","thread_id":"t-1"}\n` });
  expect(facts(reading)).toEqual([
    { type: 'thread.started', agent: 'codex', session_id: 't-1' },
    { type: 'log', stream: 'stdout', cause: 'noise', text: 'Welcome!' },
  ]);
});

it('starts a thread for a run that never introduced itself, and keeps its words', () => {
  const reading = read({ stdout: 'Welcome!\n' });
  expect(facts(reading)).toEqual([
    { type: 'thread.started' },
    { type: 'log', stream: 'stdout', cause: 'noise', text: 'Welcome!' },
  ]);
});

it('does not wait for ever', () => {
  const reading = read({ dialect: 'codex', stdout: 'x\n'.repeat(1500) });
  expect(eventsOf(reading, 'log')).toHaveLength(1500);
  expect(eventsOf(reading, 'thread.started')).toHaveLength(1);
});

describe('a document that was cut', () => {
  const answer = 'word '.repeat(20);

  it.each([
    ['continue', `{"response":"${answer}`],
    ['gemini', `{\n  "session_id": "s-1",\n  "response": "${answer}`],
    [
      'qwen',
      `[{"type":"system","subtype":"init","uuid":"q","session_id":"q","cwd":"/w","tools":[],"mcp_servers":[],"model":"m","permission_mode":"yolo","slash_commands":[],"qwen_code_version":"0.24.4","agents":[]},{"type":"assistant","uu`,
    ],
    ['unknown', `{"answer":"${answer}`],
  ])('is known to be %s by how it begins, and is no success', (dialect, stdout) => {
    const { outcome } = read({ stdout, exit: { exit_code: 0, signal: null } });
    expect({ dialect: outcome.provenance.dialect, class: outcome.verdict.class }).toEqual({
      dialect,
      class: 'incomplete',
    });
  });
});
