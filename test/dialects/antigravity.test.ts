import { describe, expect, it } from 'vitest';
import { antigravity } from '../../src/dialects/antigravity.ts';
import { pass } from '../support/pipeline.ts';
import { detected, readLines, tools, type Wire } from '../support/lines.ts';

const Line = await antigravity.schema();
const conversation_id = 'a-1';
const init: Wire = { event: 'init', conversation_id, init: { cwd: '/w', model: 'm-1', tools: ['view_file'] } };
const step = (step_index: number, step_type: string, state: string, fields: Wire = {}): Wire => ({
  event: 'step_update',
  step_update: { conversation_id, step_index, state, step_type, ...fields },
});
const prompt = step(0, 'user_input', 'DONE', { text_delta: 'List it.' });
const usage = { input_tokens: 100, output_tokens: 20, thinking_tokens: 5, cache_read_tokens: 40, total_tokens: 125 };
const ended = (fields: Wire = {}): Wire => ({
  conversation_id,
  status: 'SUCCESS',
  response: 'One file.',
  num_turns: 1,
  usage,
  ...fields,
});
const result = (fields: Wire = {}): Wire => ({ event: 'result', result: ended(fields) });
const call = (index: number, state: string, info: Wire = {}): Wire =>
  step(index, 'tool', state, {
    tool_name: 'run_command',
    tool_info: { name: 'run_command', parameters: { CommandLine: 'ls' }, ...info },
  });
const denied = {
  error: { type: 'TOOL_ERROR', message: 'permission check failed for run_command: user denied permission' },
};

const run: Wire[] = [
  init,
  prompt,
  call(1, 'ACTIVE'),
  call(1, 'DONE', { output: 'a' }),
  step(2, 'agent_response', 'ACTIVE', { text_delta: 'One ' }),
  step(2, 'agent_response', 'ACTIVE', { text_delta: 'file.' }),
  step(2, 'agent_response', 'DONE'),
  result(),
];

it('reads a run', () => {
  const read = readLines(run);
  expect(detected(run)).toBe('antigravity');
  expect(read.outcome).toMatchObject({
    session_id: 'a-1',
    message: 'One file.',
    verdict: { class: 'success' },
    metrics: {
      input_tokens: 100,
      output_tokens: 25,
      reasoning_tokens: 5,
      cache_read_tokens: 40,
      model_name: 'm-1',
      turns: 1,
    },
    metadata: { initial_prompt: 'List it.' },
    provenance: { agent: 'antigravity', unknown_lines: 0 },
  });
  expect(tools(read)).toEqual(['run_command completed']);
  for (const line of run) expect(Line.safeParse(line).error).toBeUndefined();
});

it('reads the one object of json', () => {
  const { outcome } = readLines([ended({ num_turns: 3 })]);
  expect(outcome).toMatchObject({
    session_id: 'a-1',
    message: 'One file.',
    verdict: { class: 'success' },
    metrics: { turns: 3 },
  });
  expect(outcome.metrics).not.toHaveProperty('tool_calls_count');
});

it('takes an answer that is repeated at its end once', () => {
  const repeated = step(2, 'agent_response', 'DONE', { text_delta: 'One file.' });
  expect(readLines([...run.slice(0, -2), repeated, result()]).outcome.message).toBe('One file.');
});

it('reads strings with line feeds in them', () => {
  const answer = 'One file:\n\n- a\n- "b"';
  const text = [init, result({ response: answer })].map((line) => JSON.stringify(line)).join('\n');
  const { outcome } = pass({ stdout: `${text.replaceAll('\\n', '\n')}\n` });
  expect(outcome).toMatchObject({ message: answer, verdict: { class: 'success' }, provenance: { unknown_lines: 0 } });
  // A line that was cut is not joined with the next.
  expect(pass({ stdout: `{"event":"init","conv\n${text}\n` }).outcome).toMatchObject({
    message: answer,
    verdict: { class: 'success' },
  });
});

describe('the end', () => {
  it.each<[string, Wire[], string]>([
    ['an answer', run, 'success'],
    ['a success with nothing said or done', [init, prompt, result({ response: '' })], 'incomplete'],
    [
      'a success in which all was denied',
      [init, call(1, 'ERROR', denied), result({ denied_actions: [{ action: 'run_command' }] })],
      'permission',
    ],
    [
      'the same in one object',
      [ended({ denied_actions: [{ action: 'write_file', display_name: 'WriteToFile' }] })],
      'permission',
    ],
    ['the same by name alone', [ended({ denied_actions: ['command(ls)'] })], 'permission'],
    [
      'one denied, one done',
      [init, call(1, 'ERROR', denied), call(2, 'DONE'), result({ denied_actions: ['x'] })],
      'success',
    ],
    [
      'a quota',
      [
        init,
        result({ status: 'ERROR', response: '', error: 'RESOURCE_EXHAUSTED (code 429): Individual quota reached.' }),
      ],
      'provider',
    ],
    ['an error beside a success', [init, result({ error: 'HTTP 503 unavailable' })], 'provider'],
    ['a wait for a permission', [init, result({ status: 'WAITING', response: 'May I?' })], 'permission'],
    ['a cancellation', [init, result({ status: 'CANCELLED' })], 'cancelled'],
    ['a time limit', [init, result({ status: 'TIMEOUT' })], 'time_limit'],
    ['a word that is not known', [init, result({ status: 'PERHAPS' })], 'incomplete'],
    ['no result', run.slice(0, -1), 'incomplete'],
    ['a second prompt without a result', [...run, prompt, call(5, 'ACTIVE')], 'incomplete'],
  ])('is %s', (_title, lines, expected) => {
    expect(readLines(lines, { dialect: antigravity }).outcome.verdict.class).toBe(expected);
  });
});
