import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runwire } from '../support/command.ts';

const root = join(import.meta.dirname, '..', '..');
// A minute of silence after a whole answer is 0.6 s here.
const env = { RUNWIRE_PATIENCE: '0.01' };

/** Everything but the last line of a stored stream, then nothing for a while, then the last line. */
const pausing = (file: string, seconds: number): string[] => [
  '--',
  'sh',
  '-c',
  `head -n -1 "${file}"; sleep ${seconds}; tail -n 1 "${file}"`,
];

it('an agent that has a last word is waited for: a hook may run long after the answer', async () => {
  const file = join(root, 'test', 'recordings', 'pi@0.73.1', 'plain', 'stdout.jsonl');
  const { status, stdout } = await runwire(['run', '--from', 'pi', '--to', 'runwire', ...pausing(file, 3)], { env });
  expect(status).toBe(0);
  const ended = stdout.split('\n').find((line) => line.includes('"type":"process.ended"')) ?? '';
  expect(JSON.parse(ended)).not.toHaveProperty('requested_signal');
});

it('one that has none is dismissed after its answer, and has succeeded', async () => {
  const file = join(root, 'test', 'recordings', 'opencode@1.18.33', 'plain', 'stdout.jsonl');
  const { status, stdout } = await runwire(
    ['run', '--from', 'opencode', '--to', 'runwire', '--', 'sh', '-c', `cat "${file}"; exec sleep 600`],
    { env },
  );
  expect(status).toBe(0);
  const ended = stdout.split('\n').find((line) => line.includes('"type":"process.ended"')) ?? '';
  expect(JSON.parse(ended)).toHaveProperty('requested_signal', 'SIGINT');
});
