import { writeSync } from 'node:fs';
import { supervise } from '../../src/processes/supervise.ts';

// A program to be killed: it supervises the command that its arguments name, and tells when that has started and ended. On
// SIGUSR2 it leaves in the middle of it.
const [command = '', ...args] = process.argv.slice(2);
process.once('SIGUSR2', () => process.exit(9));
writeSync(1, 'starting\n');
const { ended } = await supervise({
  command,
  args,
  cwd: process.cwd(),
  env: { PATH: process.env['PATH'] ?? '' },
  stdin: undefined,
  onStdout: (bytes) => void writeSync(1, bytes),
  onStderr: (bytes) => void writeSync(2, bytes),
});
writeSync(1, 'started\n');
writeSync(1, `${JSON.stringify(await ended)}\n`);
