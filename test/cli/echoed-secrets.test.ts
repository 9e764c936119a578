import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runwire } from '../support/command.ts';
import { body } from '../support/secrets.ts';
import { temporary } from './runs/ledger.ts';

const key = `${'gh'}p_${body(36)}`;
const value = 'open-sesame-42';
const folder = temporary();
const env = { PATH: process.env['PATH'] ?? '', HOME: folder, MY_TOKEN: value, RUNWIRE_LEDGER: 'none' };
// Once: written again while another test reads it, it would be empty for a moment.
writeFileSync(join(folder, `${key}.jsonl`), '{"type":"thread.started","thread_id":"t"}\n{"type":"nothing.known"}\n');

it.concurrent.each([
  ['an unknown flag', ['outcome', `--${key}`]],
  ['a file that is not there', ['outcome', join(folder, key, `${value}.jsonl`)]],
  ['the name of a file with notes', ['outcome', join(folder, `${key}.jsonl`)]],
  ['a wrong argument', ['run', '--timeout', key, 'hello']],
  ['an unknown command', ['runs', value]],
  ['an address', ['run', '--base-url', `ftp://example.com/v1?key=${value.slice(0, 4)}`, 'hello']],
])('%s is told without its secret', async (_, args) => {
  const { stderr } = await runwire(args, { env });
  expect(stderr).toContain(args[1] === '--base-url' ? '?key=***' : '[redacted:');
  expect(stderr).not.toContain(body(36));
  expect(stderr).not.toContain(value);
});
