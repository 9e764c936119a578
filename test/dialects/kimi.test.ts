import { expect, it } from 'vitest';
import { kimi } from '../../src/dialects/kimi.ts';
import { detected, exited, readLines, tools, type Wire } from '../support/lines.ts';

const Line = await kimi.schema();
const call = (id: string, name: string, args: Wire): Wire => ({
  type: 'function',
  id,
  function: { name, arguments: JSON.stringify(args) },
});
const says = (content: unknown, ...tool_calls: Wire[]): Wire => ({
  role: 'assistant',
  content,
  ...(tool_calls.length === 0 ? {} : { tool_calls }),
});
const result = (tool_call_id: string, content: unknown): Wire => ({ role: 'tool', content, tool_call_id });
const notice: Wire = {
  category: 'task',
  type: 'task.completed',
  severity: 'info',
  title: 'Done',
  body: 'A background task has ended.',
};

const run: Wire[] = [
  says(
    [
      { type: 'think', think: 'Two files.', encrypted: null },
      { type: 'text', text: 'I look.' },
    ],
    call('tc_1', 'Shell', { command: 'ls' }),
    call('tc_2', 'WriteFile', { path: '/w/a.txt', content: 'x' }),
  ),
  result('tc_1', 'a.txt'),
  result('tc_2', [{ type: 'text', text: '<system>File successfully overwritten.</system>' }]),
  notice,
  says('Two files.'),
];

it('reads a run', () => {
  const read = readLines(run, { exit: exited(0) });
  expect(detected(run)).toBe('kimi');
  expect(read.outcome).toMatchObject({
    message: 'Two files.',
    verdict: { class: 'success' },
    metrics: { turns: 2, tool_calls_count: 2 },
    provenance: { agent: 'kimi', unknown_lines: 0 },
  });
  expect(tools(read)).toEqual(['Shell completed', 'WriteFile completed']);
  expect(read.events.find(({ type }) => type === 'file.edited')).toMatchObject({ path: '/w/a.txt' });
  expect(read.events.filter(({ type }) => type === 'reasoning.completed')).toHaveLength(1);
  for (const line of run) expect(Line.safeParse(line).error).toBeUndefined();
});

it('is taken for no other, and takes no other for itself', () => {
  expect(detected([says('Hello.')])).toBe('kimi');
  for (const other of [
    { role: 'assistant', content: 'x', id: 'm1' },
    { role: 'assistant', content: 'x', type: 'message' },
    { role: 'system', content: 'x' },
    { role: 'user', content: 'x', session_id: 's' },
  ])
    expect([other, kimi.detect([other as never], [])]).toEqual([other, 0]);
});

it('needs an answer that calls nothing for a good end', () => {
  expect(readLines(run.slice(0, 1), { exit: exited(0) }).outcome.verdict.class).toBe('incomplete');
  expect(readLines(run.slice(0, 4), { exit: exited(0) }).outcome.verdict.class).toBe('incomplete');
});

it.each([
  ["Error code: 401 - {'error': {'message': 'Invalid Authentication'}}", 1, 'auth'],
  ["Error code: 429 - {'error': {'message': 'Rate limit reached'}}", 75, 'rate_limit'],
  ['Max number of steps reached: 100', 1, 'turn_limit'],
  ['Interrupted by user', 1, 'cancelled'],
  ['LLM not set', 1, 'config'],
])('takes %j for the end', (words, code, expected) => {
  for (const before of [[], run.slice(0, 2)]) {
    const { outcome } = readLines(before, { cut: `${words}\n`, exit: exited(code), dialect: kimi });
    expect(outcome.verdict.class).not.toBe('success');
    expect(outcome.verdict.code).toBe(expected);
  }
});

it('knows what may help by the exit code alone', () => {
  const { verdict } = readLines(run.slice(0, 2), {
    cut: 'Connection error.\n',
    exit: exited(75),
    dialect: kimi,
  }).outcome;
  expect(verdict).toMatchObject({ class: 'provider' });
});

it.each([
  ['ERROR: no such file', 'error'],
  ['<system>ERROR: Command failed with exit code: 1.</system>', 'error'],
  ['The tool call is rejected by the user.', 'denied'],
  ['<system>ERROR: The tool call is rejected by the user. Follow what they say.</system>', 'denied'],
  ['tools.py:7: "The tool call is rejected by the user."', 'completed'],
  ['ok', 'completed'],
])('reads the result %j', (text, status) => {
  const read = readLines([says('', call('t', 'Shell', {})), result('t', text), says('Done.')]);
  expect(tools(read)[0]).toContain(status);
});

it('keeps what it does not know', () => {
  const odd = [
    { role: 'assistant', content: [{ type: 'video', text: 'x' }] },
    { role: 'tool', content: 'x', tool_call_id: 'none' },
    { x: 1 },
  ];
  const { outcome } = readLines([...run, ...odd], { dialect: kimi });
  expect(outcome.provenance.unknown_lines).toBe(3);
});
