import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, expect, it } from 'vitest';
import { runAgent as agent } from '../../src/builtin/agent.ts';
import { providers, removeTemporaryFolders, runAgent, temporaryFolder } from '../support/agent.ts';
import { startModelServer, type ModelServer, type TurnInput } from '../support/model-server/index.ts';

const open: ModelServer[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});
afterAll(removeTemporaryFolders);

const turns: TurnInput[] = [
  { calls: [{ name: 'write', args: { path: 'sum.txt', content: '1 + 1 = 3\n' } }] },
  { calls: [{ name: 'edit', args: { path: 'sum.txt', old_string: '= 3', new_string: '= 2' } }] },
  { calls: [{ name: 'bash', args: { command: 'cat sum.txt; exit 3' } }] },
  { text: 'It is 2.' },
];

it.each(providers)('works with its own tools, and plays it again elsewhere ($format)', async (provider) => {
  const server = await startModelServer({ turns });
  open.push(server);
  const [here, there] = [temporaryFolder(), temporaryFolder()];
  const recordModel = join(temporaryFolder(), 'model.jsonl');
  const live = await runAgent({ agent, provider, server, cwd: here, recordModel });
  const again = await runAgent({ agent, model: `replay/${recordModel}`, cwd: there });
  for (const [run, cwd] of [
    [live, here],
    [again, there],
  ] as const) {
    expect(run.of('item.completed').map(({ status, exit_code }) => ({ status, exit_code }))).toEqual([
      { status: 'success', exit_code: undefined },
      { status: 'success', exit_code: undefined },
      { status: 'error', exit_code: 3 },
    ]);
    expect(run.of('file.edited').map(({ path, operation }) => ({ path, operation }))).toEqual([
      { path: 'sum.txt', operation: 'created' },
      { path: 'sum.txt', operation: 'modified' },
    ]);
    expect([readFileSync(join(cwd, 'sum.txt'), 'utf8'), run.outcome.message, run.outcome.verdict.class]).toEqual([
      '1 + 1 = 2\n',
      'It is 2.',
      'success',
    ]);
  }
});

it('may not write in read-only mode', async () => {
  const server = await startModelServer({ turns: [turns[0] ?? {}, {}] });
  open.push(server);
  const permissions = { mode: 'read-only', allow: [], deny: [], directories: [] } as const;
  const run = await runAgent({ agent, provider: providers[0], server, permissions });
  expect([
    run.of('item.completed').map(({ status }) => status),
    run.outcome.verdict.class,
    run.outcome.artifacts,
  ]).toEqual([['denied'], 'permission', []]);
});
