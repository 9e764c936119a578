import { expect, it } from 'vitest';
import { runsSchemas } from '../../../src/ledger/schemas.ts';
import { runwire } from '../../support/command.ts';
import { inside } from '../run/live.ts';
import { jsonLines, newLedger, runs } from '../runs/ledger.ts';

const budget = (ledger: string, words: readonly string[]) => runwire(['budget', ...words, '--ledger', ledger]);

it('is set, listed, taken from, shown beside the figures and removed', async () => {
  const ledger = newLedger();
  expect(
    await budget(ledger, ['set', 'team-a', '--usd', '0.001', '--tokens', '1000000', '--per', 'day']),
  ).toMatchObject({ status: 0 });
  const words = ['--budget', 'team-a', '--ledger', ledger, '--quiet', '--price', 'input=100,output=100'];
  const command = [
    '--',
    'sh',
    '-c',
    `printf '%s\\n' '{"type":"thread.started","thread_id":"t"}' '{"type":"turn.started"}' \
    '{"type":"item.completed","item":{"id":"i","type":"agent_message","text":"Done."}}' \
    '{"type":"turn.completed","usage":{"input_tokens":100,"cached_input_tokens":0,"output_tokens":10}}'`,
  ];
  // What an agent takes may be told by its last word alone: the first run is beyond it when it ends, the second does not start.
  await runwire(['run', ...words, ...command]);
  const refused = await runwire(['run', ...words, ...command]);
  expect(refused).toMatchObject({
    status: 5,
    stderr: expect.stringContaining('the budget "team-a" of $0.001 a day was reached: $0.011 spent'),
  });
  const listed = await budget(ledger, ['list', '--json']);
  expect(jsonLines(listed.stdout).map((line) => runsSchemas.budget.parse(line))).toMatchObject([
    {
      name: 'team-a',
      per: 'day',
      usd: 0.001,
      spent: { usd: 0.011, tokens: 110 },
      reserved: { usd: 0 },
      runs: 1,
      running: 0,
    },
  ]);
  const stats = await runs(ledger, ['stats', '--by', 'label:budget', '--format', 'table']);
  expect(stats.stdout).toMatch(/^team-a +2 /m);
  expect(stats.stdout).toMatch(/^BUDGET +PER +SPENT/m);
  expect(await budget(ledger, ['remove', 'team-a'])).toMatchObject({ status: 0 });
  expect(await budget(ledger, ['remove', 'team-a'])).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('no budget "team-a"'),
  });
});

it('in dollars says before the start what it cannot count', async () => {
  const ledger = newLedger();
  await budget(ledger, ['set', 'usd', '--usd', '5']);
  await budget(ledger, ['set', 'tokens', '--tokens', '5000000']);
  const told = async (...words: string[]): Promise<string[]> => {
    const { stderr } = await inside(['run', ...words, '--ledger', ledger, '--', 'echo', '{"type":"turn.started"}']);
    return stderr.split('\n').filter((line) => line.includes('dollars of the budget'));
  };
  const uncounted =
    'unless the agent reports its cost, this run does not count against the dollars of the budget "usd"; --price counts it';
  expect(
    await Promise.all([
      told('--budget', 'usd'),
      told('--budget', 'usd', '--model', 'acme/secret-one'),
      told('--budget', 'usd', '--model', 'openai/gpt-4o'),
      told('--budget', 'usd', '--price', 'input=1,output=1'),
      told('--budget', 'tokens'),
    ]),
  ).toEqual([
    [`runwire: warning: its model is not named: ${uncounted}`],
    [`runwire: warning: the price of acme/secret-one is not known: ${uncounted}`],
    [],
    [],
    [],
  ]);
});

it.each([
  [['set', 'a', '--per', 'day'], 'a budget needs --usd, --tokens or both'],
  [['set', 'a', '--usd', '-1'], '--usd -1: expected an amount above 0'],
  [['set', 'a b', '--usd', '1'], '"a b" is not a valid budget name'],
  [['set', 'a', '--usd', '1', '--per', 'year'], '--per year: expected day, week, month or total'],
  [['set'], 'expected budget set NAME'],
])('%j is refused', async (words, message) => {
  expect(await budget(newLedger(), words)).toMatchObject({ status: 2, stderr: expect.stringContaining(message) });
});
