import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { startGuard } from '../../src/processes/guard.ts';

// A program that dies in the moment between the start of the shell script that it is given and the word to the guard about it.
const [run = '', folder = '', script = ''] = process.argv.slice(2);
startGuard(run, { folder });
const child = spawn('/bin/sh', ['-c', script], {
  env: { PATH: process.env['PATH'] ?? '', RUNWIRE_RUNS: run },
  stdio: ['ignore', 'pipe', 'ignore'],
  detached: true,
});
await once(child.stdout, 'data');
process.kill(process.pid, 'SIGKILL');
