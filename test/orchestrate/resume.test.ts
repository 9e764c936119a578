import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { inside, live } from '../cli/run/live.ts';
import { folder } from '../cli/run/scripted.ts';
import { conformanceProblems } from '../support/dev-agent-conformance.ts';
import { processesWith, until } from '../support/processes.ts';
import { call, done, eventsOf, orchestrate, pathWithCodex, type Report, reportOf } from './asking.ts';
import { brokenProject, git, serveModels, verify } from './crew.ts';

type Named = Report & { run_id: string };
const price = ['--price', 'input=1,output=1'];

it('goes on after a limit, with conversation, branches and what is left of the budget; the run is known by its thread', async () => {
  const cwd = brokenProject();
  const state = folder();
  const env = { XDG_STATE_HOME: state };
  const first = await orchestrate({
    cwd,
    env,
    codex: ['fixer'],
    brain: [
      call('execute_agent', { agent: 'codex', prompt: 'Fix it' }),
      call('branch_diff', { branch_id: '1' }),
      // After the limit: the conversation is the same one, so these are its third answer and the next.
      call('execute_agent', { agent: 'codex', prompt: 'Fix it again', parent_branch_id: '1' }),
      done,
    ],
    flags: ['--stream-json', '--verify', verify, '--max-turns', '2', '--max-cost-usd', '1', ...price],
  });
  expect(first.status).toBe(6);
  const thread = String(eventsOf(first.stdout)[0]?.['thread_id']);
  const { run_id: run } = reportOf(first.stdout) as Named;
  const shown = await inside(['runs', 'show', thread], { cwd, env });
  expect(JSON.parse(shown.stdout)).toMatchObject({ id: run, class: 'turn_limit' });

  // Its flags are kept: nothing but the run has to be named.
  const path = pathWithCodex(process.env['PATH'] ?? '', '');
  const again = await inside(['orchestrate', '--resume', thread, '--stream-json'], {
    cwd: folder(),
    env: { ...env, PATH: path },
  });
  expect({ status: again.status, stderr: again.stderr }).toEqual({ status: 0, stderr: '' });
  expect(conformanceProblems(again.stdout.split('\n'))).toEqual([]);
  const report = reportOf(again.stdout) as Named & { task: string };
  expect(report).toMatchObject({ status: 'completed', task: 'Make the test pass' });
  expect(report.run_id).not.toBe(run);
  expect(report.lineage.branches.map(({ branch_id }) => branch_id.split('/').at(-1)?.split('-')[0])).toEqual([
    'main',
    '1',
    '2',
  ]);

  const used = (await inside(['runs', 'list', '--tree'], { env })).stdout.trim().split('\n').length;
  expect(used).toBe(4);
  const spent = await inside(['orchestrate', '--resume', run, '--max-cost-usd', '0.0001'], { cwd, env });
  expect({ status: spent.status, stderr: spent.stderr }).toMatchObject({
    status: 2,
    stderr: /--max-cost-usd 0\.0001 is used up \(0\.00\d+ so far\)/,
  });
});

it.runIf(process.platform === 'linux')('goes on after kill -9, with work that was left in a copy', async () => {
  const cwd = brokenProject();
  const env = { XDG_STATE_HOME: folder() };
  const place = folder();
  const does = `[ -e '${place}/began' ] || { : > '${place}/began'; echo $$ > '${place}/id'; sleep 601; }`;
  const server = await serveModels({
    brain: [
      call('branch_diff', { branch_id: 'main' }),
      call('execute_agent', { agent: 'codex', prompt: 'Fix it' }),
      done,
    ],
  });
  const path = pathWithCodex(process.env['PATH'] ?? '', does);
  const model = [
    '--model',
    'openai-compatible/brain',
    '--base-url',
    server.baseUrl('chat'),
    '--permission-mode',
    'full',
  ];
  const args = ['orchestrate', '--task', 'Make the test pass', '--agents', 'codex=fixer', '--verify', verify, ...model];
  await live([...args, '--stream-json'], {
    cwd,
    env: { ...env, PATH: path },
    watch(child) {
      const timer = setInterval(() => {
        if (!existsSync(join(place, 'id')) || child.pid === undefined) return;
        clearInterval(timer);
        process.kill(child.pid, 'SIGKILL');
      }, 50);
    },
  });
  expect(readFileSync(join(place, 'id'), 'utf8')).not.toBe('');
  expect(await until(() => processesWith(place).length === 0)).toBe(true);
  const { stdout, status } = await inside(['orchestrate', '--resume', 'last'], { cwd, env: { ...env, PATH: path } });
  const report = JSON.parse(stdout) as Named;
  // What the first agent had written before it was killed is on its branch.
  const [, left, next] = report.lineage.branches;
  expect({ status, left, next }).toMatchObject({
    status: 0,
    left: { status: 'incomplete', branch_id: /\/1-/ },
    next: { status: 'success', branch_id: /\/2-/, verified: 'passed' },
  });
  expect(git(cwd, 'show', `${left?.branch_id}:value.txt`)).toBe('right');
});

it.each([
  ['nobody', 'no runs yet'],
  ['last', 'no runs yet'],
])('--resume %s says what is wrong', async (word, words) => {
  const { status, stderr } = await inside(['orchestrate', '--resume', word], {
    cwd: brokenProject(),
    env: { XDG_STATE_HOME: folder() },
  });
  expect({ status, stderr }).toMatchObject({ status: 2, stderr: new RegExp(words) });
});
