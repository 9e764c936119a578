import { expect, it } from 'vitest';
import { openhands } from '../../src/dialects/openhands.ts';
import { pass } from '../support/pipeline.ts';
import { detected, exited, readLines, tools, type Wire } from '../support/lines.ts';

const Line = await openhands.schema();
const timestamp = (index: number): string => `2026-11-15T10:00:0${index}.000000`;
const event = (kind: string, index: number, source: string, fields: Wire): Wire => ({
  kind,
  id: `e${index}`,
  timestamp: timestamp(index),
  source,
  ...fields,
});
const text = (words: string): Wire => ({ type: 'text', text: words });
const message = (index: number, role: 'user' | 'assistant', words: string): Wire =>
  event('MessageEvent', index, role === 'user' ? 'user' : 'agent', { llm_message: { role, content: [text(words)] } });
const act = (index: number, id: string, tool_name: string, action: Wire | null, thought = '', turn = index): Wire =>
  event('ActionEvent', index, 'agent', {
    thought: thought === '' ? [] : [text(thought)],
    action,
    tool_name,
    tool_call_id: id,
    tool_call: { id, name: tool_name, arguments: '{}' },
    llm_response_id: `r${turn}`,
  });
const seen = (index: number, id: string, tool_name: string, observation: Wire): Wire =>
  event('ObservationEvent', index, 'environment', {
    observation: { content: [], is_error: false, ...observation },
    action_id: 'x',
    tool_name,
    tool_call_id: id,
  });

const run: Wire[] = [
  message(0, 'user', 'Make it.'),
  act(1, 't1', 'terminal', { kind: 'TerminalAction', command: 'ls' }, 'I look.', 1),
  seen(2, 't1', 'terminal', { kind: 'TerminalObservation', content: [text('a.txt')], exit_code: 0 }),
  act(3, 't2', 'file_editor', { kind: 'FileEditorAction', command: 'create', path: '/w/b.txt', file_text: 'x' }, '', 2),
  seen(4, 't2', 'file_editor', { kind: 'FileEditorObservation', content: [text('created')] }),
  act(5, 't3', 'finish', { kind: 'FinishAction', message: 'Made.' }, '', 3),
  seen(6, 't3', 'finish', { kind: 'FinishObservation', content: [text('Made.')] }),
];

it('reads a run', () => {
  const read = readLines(run, { exit: exited(0) });
  expect(detected(run)).toBe('openhands');
  expect(read.outcome).toMatchObject({
    message: 'Made.',
    verdict: { class: 'success' },
    metrics: { turns: 3 },
    metadata: { initial_prompt: 'Make it.' },
    provenance: { agent: 'openhands', unknown_lines: 0 },
  });
  expect(tools(read)).toEqual(['terminal completed', 'file_editor completed', 'finish completed']);
  expect(read.events.find(({ type }) => type === 'file.edited')).toMatchObject({
    path: '/w/b.txt',
    operation: 'created',
  });
  for (const line of run) expect(Line.safeParse(line).error).toBeUndefined();
});

it('reads events that were printed over many lines, between what people see', () => {
  const stdout = run.map((wire) => `--JSON Event--\n${JSON.stringify(wire, null, 2)}\n`).join('');
  const { outcome } = pass({ stdout: `${stdout}Goodbye!\nConversation ID: 0a\n`, exit: exited(0) });
  expect(outcome).toMatchObject({
    message: 'Made.',
    verdict: { class: 'success' },
    provenance: { agent: 'openhands' },
  });
});

it('counts the calls of one answer as one turn, and what a message says as the answer', () => {
  const lines = [
    act(1, 't1', 'terminal', { command: 'ls' }, '', 1),
    act(2, 't2', 'terminal', { command: 'pwd' }, '', 1),
    seen(3, 't1', 'terminal', {}),
    seen(4, 't2', 'terminal', {}),
    message(5, 'assistant', 'Two calls.'),
  ];
  expect(readLines(lines).outcome).toMatchObject({
    message: 'Two calls.',
    metrics: { turns: 2 },
    verdict: { class: 'success' },
  });
});

it('needs an answer for a good end', () => {
  expect(readLines(run.slice(0, 5), { exit: exited(0) }).outcome.verdict.class).toBe('incomplete');
});

it('knows how calls fail', () => {
  const read = readLines([
    act(1, 't1', 'terminal', { command: 'x' }),
    seen(2, 't1', 'terminal', { exit_code: 127, content: [text('not found')] }),
    act(3, 't2', 'file_editor', { command: 'view', path: '/a' }),
    event('AgentErrorEvent', 4, 'agent', { tool_name: 'file_editor', tool_call_id: 't2', error: 'no such tool' }),
    act(5, 't3', 'terminal', { command: 'y' }),
    event('UserRejectObservation', 6, 'environment', {
      tool_name: 'terminal',
      tool_call_id: 't3',
      rejection_reason: 'a hook said no',
    }),
    message(7, 'assistant', 'I give up.'),
  ]);
  expect(tools(read).map((each) => each.split(' ').slice(0, 2).join(' '))).toEqual([
    'terminal error',
    'file_editor error',
    'terminal error',
  ]);
});

it.each([
  ['LLMAuthenticationError', 'Invalid API key (401)', 'auth'],
  ['MaxIterationsReached', 'Agent reached maximum iterations limit (500).', 'turn_limit'],
  ['LLMRateLimitError', 'Rate limit reached', 'rate_limit'],
])('takes %s for the end, unless it goes on', (code, detail, expected) => {
  const error = event('ConversationErrorEvent', 8, 'environment', { code, detail });
  const { verdict } = readLines([...run.slice(0, 3), error], { exit: exited(0) }).outcome;
  expect(verdict).toMatchObject({ code: expected });
  expect(verdict.class).not.toBe('success');
  expect(Line.safeParse(error).error).toBeUndefined();
});

it('keeps what it does not know, and passes over what says nothing', () => {
  const { outcome } = readLines([
    event('SystemPromptEvent', 0, 'agent', {}),
    event('ConversationStateUpdateEvent', 0, 'environment', { key: 'x', value: 1 }),
    ...run,
    event('SomethingNew', 9, 'agent', {}),
  ]);
  expect(outcome.provenance.unknown_lines).toBe(1);
});
