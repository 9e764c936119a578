import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { runwire } from '../support/command.ts';

const folder = mkdtempSync(join(tmpdir(), 'runwire-deep-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const depth = 100_000;
const record = '"sequence":2,"timestamp":null,"thread_id":"x","source":"agent","synthetic":false';
const files = {
  'list.jsonl': `${'['.repeat(depth)}${']'.repeat(depth)}\n`,
  'object.jsonl': `${'{"type":'.repeat(depth)}1${'}'.repeat(depth)}\n`,
  'call.jsonl': `{"type":"item.started","item_id":"a","kind":"tool_call","name":"x","args":${'['.repeat(depth)}${']'.repeat(depth)},${record}}\n`,
};
for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);

it.each([
  ['validate', ['validate', '--from', 'runwire']],
  ['outcome', ['outcome', '--from', 'codex']],
  ['convert', ['convert', '--from', 'codex', '--to', 'runwire']],
  ['convert without redaction', ['convert', '--no-redact', '--from', 'codex', '--to', 'opencode']],
  ['play', ['play', '--from', 'claude']],
  ['import', ['runs', 'import', '--ledger', join(folder, 'ledger.db')]],
])('%s says something about what is nested more deeply than the stack', async (_what, args) => {
  const all = await Promise.all(
    Object.keys(files).map((name) => runwire([...args, join(folder, name)], { env: { HOME: folder } })),
  );
  for (const { status, stdout, stderr } of all) {
    expect([0, 2]).toContain(status);
    expect(`${stdout}${stderr}`).not.toMatch(/Maximum call stack|unexpected:|\n {4}at /);
    expect(`${stdout}${stderr}`).not.toBe('');
  }
});

it('validate says which line it is', async () => {
  const { status, stdout } = await runwire(['validate', join(folder, 'call.jsonl')], { env: { HOME: folder } });
  expect({ status, stdout }).toEqual({
    status: 2,
    stdout: `${join(folder, 'call.jsonl')}:1: nested too deeply to be checked\n`,
  });
});
