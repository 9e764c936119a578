import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { startGuard } from '../../src/processes/guard.ts';
import { limitOf, marked } from '../../src/processes/mark.ts';

// A program that dies in the moment between the start of the shell script that it is given and the word to the guard about it.
const [run = '', folder = '', script = ''] = process.argv.slice(2);
startGuard(run, { folder, limit: limitOf(run) });
const { command, args, env } = marked(run, {
  command: '/bin/sh',
  args: ['-c', script],
  env: { PATH: process.env['PATH'] ?? '' },
});
const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'ignore'], detached: true });
await once(child.stdout, 'data');
process.kill(process.pid, 'SIGKILL');
