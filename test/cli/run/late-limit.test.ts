import { expect, it } from 'vitest';
import { live, modelAt, project, serve } from './live.ts';

it('a limit of cost that the last answer exceeds is told, and fails where that is asked for', async () => {
  const server = await serve([{ text: 'Done.', usage: { input: 1000, output: 100 } }]);
  const flags = [
    ...modelAt(server),
    '--price',
    'input=1,output=10',
    '--max-cost-usd',
    '0.001',
    '--fail-on',
    'limit',
    '--to',
    'runwire',
  ];
  const { status, stdout } = await live([...flags, '-p', 'do'], { cwd: project() });
  const last = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') as { final_report: { limits_hit: unknown[] } };
  expect(status).toBe(5);
  expect(last.final_report.limits_hit).toHaveLength(1);
});
