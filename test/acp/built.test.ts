import { join } from 'node:path';
import { expect, it } from 'vitest';
import { live } from '../cli/run/live.ts';

const fake = join(import.meta.dirname, '..', 'support', 'acp', 'fake-agent.ts');
const quiet = ['--ledger', 'none', '--quiet'];

it('is a command that a user runs, in both directions', async () => {
  const hello = { jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: 1 } };
  const [quoted, after, served, none] = await Promise.all([
    live(['run', ...quiet, '--agent', `acp:'${process.execPath}' ${fake} text`, 'Hello']),
    live(['run', ...quiet, '--agent', 'acp', 'Hello', '--to', 'acp', '--', process.execPath, fake, 'refusal']),
    live(['acp', '--model', 'replay/none.jsonl', '--ledger', 'none'], { stdin: `${JSON.stringify(hello)}\nnonsense\n` }),
    live(['run', ...quiet, '--agent', 'acp', 'Hello']),
  ]);
  expect([quoted.status, quoted.stdout]).toEqual([0, 'You said: Hello\n']);
  expect(after.status).toBe(4);
  expect(after.stdout).toContain('"stopReason":"refusal"');
  const lines = served.stdout.split('\n').filter((line) => line !== '');
  // Answers come in any order.
  const answered = new Set(lines.map((line) => (JSON.parse(line) as { id: unknown }).id));
  expect([served.status, answered]).toEqual([0, new Set([1, null])]);
  expect([none.status, none.stderr]).toEqual([2, expect.stringContaining('acp needs the command of an agent')]);
});
