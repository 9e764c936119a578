import { expect, it } from 'vitest';
import { sweAgent } from '../../src/dialects/swe-agent.ts';
import { pass } from '../support/pipeline.ts';

const Trajectory = await sweAgent.schema();
const steps = [
  { action: 'open a.py', observation: '[File: a.py]', thought: 'I look.', execution_time: 0.5, state: '{}' },
  { action: 'submit', observation: 'diff --git a/a.py b/a.py', thought: 'Fixed.', execution_time: 0.1, state: '{}' },
];
const traj = (exit_status: string | null, trajectory: object[] = steps): object => ({
  environment: 'swe_main',
  trajectory,
  history: [
    { role: 'system', content: 'You are.' },
    { role: 'user', content: 'Fix it.' },
  ],
  info: {
    exit_status,
    submission: 'diff',
    model_stats: { instance_cost: 0.5, tokens_sent: 900, tokens_received: 60, api_calls: 2 },
  },
});
const mini = (exit_status: string): object => ({
  info: {
    mini_version: '1.9.0',
    exit_status,
    submission: 'diff',
    model_stats: { instance_cost: 0.25, api_calls: 2 },
    config: { model: { model_name: 'm-1' } },
  },
  messages: [
    { role: 'system', content: 'You are.' },
    { role: 'user', content: 'Fix it.' },
    { role: 'assistant', content: 'THOUGHT: I look.\n```bash\nls\n```' },
    { role: 'user', content: '<returncode>0</returncode>\n<output>\na\n</output>' },
    { role: 'assistant', content: 'THOUGHT: I try.\n```bash\nfalse\n```' },
    { role: 'user', content: '<returncode>1</returncode>\n<output>\n</output>' },
    { role: 'assistant', content: 'THOUGHT: Done.\n```bash\necho COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT\n```' },
    { role: 'exit', content: 'diff' },
  ],
  trajectory_format: 'mini-swe-agent-1',
});
const read = (document: object) => pass({ stdout: JSON.stringify(document, null, 2) }).outcome;

it('reads the file of SWE-agent', () => {
  const outcome = read(traj('submitted'));
  expect(outcome).toMatchObject({
    message: 'Fixed.',
    verdict: { class: 'success' },
    metrics: {
      input_tokens: 900,
      output_tokens: 60,
      cost: 0.5,
      cost_source: 'reported',
      turns: 2,
      tool_calls_count: 2,
    },
    metadata: { initial_prompt: 'Fix it.' },
    provenance: { dialect: 'swe-agent', agent: 'swe-agent', unknown_lines: 0 },
  });
  expect(outcome.tool_calls).toMatchObject([{ name: 'open', duration_ms: 500 }, { name: 'submit' }]);
  expect(Trajectory.safeParse(traj('submitted')).error).toBeUndefined();
});

it('reads the file of mini-SWE-agent', () => {
  const outcome = read(mini('Submitted'));
  expect(outcome).toMatchObject({
    verdict: { class: 'success' },
    metrics: { cost: 0.25, turns: 3, tool_calls_count: 3, model_name: 'm-1' },
    provenance: { dialect: 'swe-agent', agent: 'mini-swe-agent', version: '1.9.0' },
  });
  expect(outcome.tool_calls).toMatchObject([
    { inputs: { command: 'ls' }, status: 'completed' },
    { inputs: { command: 'false' }, status: 'error' },
    { inputs: { command: 'echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT' }, status: 'completed' },
  ]);
  expect(Trajectory.safeParse(mini('Submitted')).error).toBeUndefined();
});

it.each<[string | null, string]>([
  ['submitted', 'success'],
  ['submitted (exit_cost)', 'cost_limit'],
  ['submitted (exit_context)', 'provider'],
  ['exit_cost', 'cost_limit'],
  ['exit_context', 'provider'],
  ['exit_format', 'incomplete'],
  ['exit_forfeit', 'incomplete'],
  ['exit_command_timeout', 'time_limit'],
  ['exit_total_execution_time', 'time_limit'],
  ['exit_environment_error', 'tool'],
  ['exit_api', 'provider'],
  ['early_exit', 'cancelled'],
  ['LimitsExceeded', 'turn_limit'],
  ['anything else', 'incomplete'],
  ['', 'incomplete'],
  [null, 'incomplete'],
])('takes the exit status %s for %s', (status, expected) => {
  expect(read(traj(status)).verdict.class).toBe(expected);
});

it('does not believe a submission without a step', () => {
  expect(read(traj('submitted', [])).verdict.class).toBe('incomplete');
});
