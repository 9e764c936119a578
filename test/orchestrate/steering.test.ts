import { expect, it } from 'vitest';
import { inside } from '../cli/run/live.ts';
import { folder } from '../cli/run/scripted.ts';
import { conformanceProblems } from '../support/dev-agent-conformance.ts';
import { call, done, eventsOf, orchestrate, reportOf } from './asking.ts';
import { brokenProject, git, verify } from './crew.ts';
import { isSweep, some } from '../support/sweep.ts';

/** An agent that never ends, unless it is told to do something else; then it ends once the other has begun. */
const holds = (place: string): string =>
  `case "$*" in *"Hold on"*) : > '${place}/held'; sleep 601 ;; *) until [ -e '${place}/held' ]; do sleep 0.05; done ;; esac`;

const hold = call('execute_agent', { agent: 'codex', prompt: 'Hold on', background: true });
const fix = call('execute_agent', { agent: 'codex', prompt: 'Fix it', background: true });

it('the brain acts while an agent works: it looks in, starts another, waits for that one, and redirects the first', async () => {
  const cwd = brokenProject();
  const { stdout, status, stderr } = await orchestrate({
    cwd,
    codex: ['fixer'],
    does: holds(folder()),
    brain: [
      hold,
      call('branch_output', { branch_id: '1' }),
      fix,
      call('wait', { branch_ids: ['2'] }),
      call('cancel_agent', { branch_id: '1', prompt: 'Fix it after all' }),
      call('wait', {}),
      done,
    ],
    flags: ['--stream-json', '--verify', verify],
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(conformanceProblems(stdout.split('\n'))).toEqual([]);
  const events = eventsOf(stdout);
  const { branches } = reportOf(stdout).lineage;
  const [, first, second, third] = branches;
  expect(branches).toMatchObject([
    {},
    { status: 'cancelled' },
    { status: 'success', verified: 'passed' },
    { status: 'success', verified: 'passed', parent_branch_id: first?.branch_id },
  ]);
  const starts = events.filter(({ type, name }) => type === 'item.started' && name === 'check_status');
  expect(starts).toMatchObject(
    [first, second, third].map((branch) => ({ kind: 'branch_poll', branch_id: branch?.branch_id })),
  );
  const order = events.flatMap(({ type, name, item_id, status: end }) =>
    type === 'item.started'
      ? [`${String(name)} begins`]
      : starts.some((each) => each['item_id'] === item_id)
        ? [`${starts.findIndex((each) => each['item_id'] === item_id) + 1} ends: ${String(end)}`]
        : [],
  );
  expect(order).toEqual([
    'execute_agent begins',
    'check_status begins',
    'branch_output begins',
    'execute_agent begins',
    'check_status begins',
    'wait begins',
    '2 ends: success',
    'cancel_agent begins',
    '1 ends: error',
    'check_status begins',
    'wait begins',
    '3 ends: success',
  ]);
  // What the first had done before it was stopped is kept, and the last built on it.
  expect(git(cwd, 'show', `${first?.branch_id}:value.txt`)).toBe('right');
  expect(git(cwd, 'merge-base', '--is-ancestor', String(first?.commit), String(third?.commit))).toBe('');
});

it('an answer counts once the agents at work have ended, and the brain has read how', async () => {
  const { stdout, status, server } = await orchestrate({
    codex: ['fixer'],
    brain: [fix, { text: 'It is on its way.' }, done],
    flags: ['--stream-json', '--verify', verify],
  });
  expect(status).toBe(0);
  expect(conformanceProblems(stdout.split('\n'))).toEqual([]);
  expect(reportOf(stdout)).toMatchObject({ status: 'completed', summary: 'Done: the branch passes.' });
  expect(server.served.requests.filter(({ model }) => model === 'brain')).toHaveLength(3);
});

it('a limit of the brain stops the agents at work, and keeps what they did', async () => {
  const { stdout, status } = await orchestrate({
    codex: ['fixer'],
    does: holds(folder()),
    brain: [hold, call('branch_output', { branch_id: '1' })],
    flags: ['--stream-json', '--max-turns', '2'],
  });
  expect(status).toBe(6);
  expect(conformanceProblems(stdout.split('\n'))).toEqual([]);
  expect(reportOf(stdout).lineage.branches[1]).toMatchObject({ status: 'cancelled' });
});

it.runIf(isSweep)('the work of parallel_explore goes on as well, and one that fails is a result', async () => {
  const state = folder();
  const { stdout, status } = await orchestrate({
    agents: ['breaker', 'fixer'],
    env: { XDG_STATE_HOME: state },
    brain: [
      call('parallel_explore', { prompts: ['Break it', 'Fix it'], background: true }),
      call('wait', { until: 'all' }),
      done,
    ],
    flags: ['--stream-json', '--price', 'input=1,output=1'],
  });
  expect(status).toBe(0);
  expect(conformanceProblems(stdout.split('\n'))).toEqual([]);
  expect(reportOf(stdout).usage.runs).toBe(3);
  const { stdout: listed } = await inside(['runs', 'list', '--tree'], { env: { XDG_STATE_HOME: state } });
  expect(listed.trim().split('\n')).toHaveLength(3);
});

const mistakes: [string, Record<string, unknown>, string][] = [
  ['wait', { branch_ids: ['7'] }, '7 is not a branch of this task'],
  ['cancel_agent', { branch_id: 'main' }, 'main is not a branch of this task'],
  ['cancel_agent', { branch_id: '1' }, 'no agent is at work on'],
];
it.each(some(mistakes, 3))('%s %o says what is wrong', async (name, args, words) => {
  const { stdout } = await orchestrate({
    codex: ['fixer'],
    brain: [call('execute_agent', { agent: 'codex', prompt: 'Fix it' }), call(name, args), done],
    flags: ['--stream-json'],
  });
  const errors = eventsOf(stdout).filter(({ type }) => type === 'error');
  expect(errors.map(({ message }) => String(message)).join('\n')).toContain(words);
});
