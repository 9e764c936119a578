import { expect, it } from 'vitest';
import { runsSchemas } from '../../../src/ledger/schemas.ts';
import type { RunRecord } from '../../../src/stores/run-store.ts';
import { live, modelAt, serve, twoTurns } from '../run/live.ts';
import { jsonLines, newLedger, runsProgram } from './ledger.ts';

it('remembers a run of the built-in agent, with its timeline', async () => {
  const ledger = newLedger();
  const server = await serve(twoTurns);
  const { status } = await live([...modelAt(server), '--ledger', ledger, '--label', 'team=a', 'Do both']);
  expect(status).toBe(0);
  const { stdout } = await runsProgram(ledger, ['show', 'last']);
  const [run] = jsonLines<RunRecord & { timeline: { name: string; status: string; start_ms: number }[] }>(stdout);
  expect(runsSchemas.run.safeParse(run).error).toBeUndefined();
  expect(run).toMatchObject({ status: 'success', prompt: 'Do both', labels: { team: 'a' }, tool_calls: 2 });
  expect(run?.timeline.map((each) => `${each.name} ${each.status}`)).toEqual(['read success', 'write success']);
  expect((await runsProgram(ledger, ['tail', '--to', 'agent-code'])).stdout).toContain('All\\ndone ✓');
  expect(await runsProgram(ledger, ['verify'])).toMatchObject({ status: 0, stdout: '' });
});
