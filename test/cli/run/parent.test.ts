import { join } from 'node:path';
import { expect, it } from 'vitest';
import { folder, lines } from './scripted.ts';
import { live } from './live.ts';

const example = join(import.meta.dirname, '..', '..', '..', 'examples', 'codex-run.jsonl');

it('--parent makes a run a part of another, and the tree adds up what is below', async () => {
  const ledger = join(folder(), 'ledger.db');
  const run = async (...flags: string[]): Promise<Record<string, unknown>> => {
    const { stdout, status } = await live([
      'run',
      '--to',
      'runwire',
      '--ledger',
      ledger,
      ...flags,
      '--',
      'cat',
      example,
    ]);
    expect(status).toBe(0);
    return lines(stdout)[0] as Record<string, unknown>;
  };
  const top = await run();
  const child = await run('--parent', String(top['run_id']));
  const grandchild = await run('--parent', String(child['run_id']));
  expect(top).not.toHaveProperty('parent_run_id');
  expect(child).toMatchObject({ parent_run_id: top['run_id'], root_run_id: top['run_id'] });
  expect(grandchild).toMatchObject({ parent_run_id: child['run_id'], root_run_id: top['run_id'] });
  const shown = await live(['runs', 'show', '--json', '--ledger', ledger, String(top['run_id'])]);
  expect(JSON.parse(shown.stdout)).toMatchObject({ children: { runs: 2 } });
  const tree = await live(['runs', 'list', '--tree', '--ledger', ledger]);
  expect(lines(tree.stdout)).toMatchObject([
    { id: top['run_id'], depth: 0 },
    { id: child['run_id'], depth: 1 },
    { id: grandchild['run_id'], depth: 2 },
  ]);
});

it.each([
  ['a run that is not there', ['--parent', 'zzzz'], /no runs yet|no run "zzzz"/],
  ['a run of no ledger', ['--parent', 'last', '--ledger', 'none'], /the ledger is "none"/],
])('--parent with %s is bad input', async (_name, flags, words) => {
  const { status, stderr } = await live(['run', ...flags, '--', 'true']);
  expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringMatching(words) as string });
});
