import { expect, it } from 'vitest';
import { sinksWithSecrets, tableOf } from '../support/redaction-table.ts';

it('no secret of any kind reaches an output or a file', async () => {
  const sinks = await sinksWithSecrets(false);
  expect(tableOf(sinks).filter(({ isClean }) => !isClean)).toEqual([]);
  const told = [...sinks].filter(([, text]) => text.includes('[redacted:')).map(([sink]) => sink);
  expect(told.toSorted()).toEqual([
    'ledger',
    'outcome: stdout',
    'run --to runwire: stderr',
    'run --to runwire: stdout',
    'runs export: stdout',
    'runs import of an export: ledger',
    'runs show: stdout',
    'tape',
    'validate: stdout',
  ]);
});
