import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { inside } from '../cli/run/live.ts';
import { folder } from '../cli/run/scripted.ts';
import { textOf } from '../support/costs/streams.ts';

const calls = [
  { fresh: 1000, output: 100 },
  { fresh: 2000, output: 100 },
];
const later = (text: string): string =>
  text.replaceAll(/10:00:(\d\d)/g, '10:02:$1').replaceAll(/10:01:(\d\d)/g, '10:03:$1');

it.each([
  ['the session first', ['session', 'tape']],
  ['the tape first', ['tape', 'session']],
] as const)('a run whose first output came long after its session began counts once: %s', async (_title, order) => {
  const session = textOf('codex session', 'gpt-5.5', calls);
  const place = folder();
  const files = { session: join(place, 'rollout.jsonl'), tape: join(place, 'run.tape') };
  // It ends a minute before the tape does.
  writeFileSync(files.session, session.replaceAll('10:01:39', '10:03:00'));
  writeFileSync(join(place, 'late.jsonl'), later(session));
  writeFileSync(files.tape, (await inside(['convert', '--to', 'runwire', join(place, 'late.jsonl')])).stdout);
  const ledger = join(folder(), 'ledger.db');
  for (const name of order) await inside(['runs', 'import', '--ledger', ledger, files[name]]);
  const { stdout } = await inside(['runs', 'list', '--json', '--ledger', ledger]);
  const runs = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { input_tokens?: number });
  expect(runs.map(({ input_tokens: input }) => input)).toEqual([3000]);
});
