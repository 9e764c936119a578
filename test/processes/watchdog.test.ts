import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '..', '..');

/** A program whose time is over after 100 ms, and what became of it. */
async function blockedBy(work: string): Promise<Record<'status' | 'signal' | 'stdout' | 'stderr', unknown>> {
  const script = `
    import { execFileSync } from 'node:child_process';
    import { writeSync } from 'node:fs';
    import { startWatchdog } from './src/processes/watchdog.ts';
    const callOff = startWatchdog(100, () => {
      writeSync(1, 'ended by the watchdog');
      process.exit(124);
    }, 1000);
    setTimeout(() => { ${work} }, 10);
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    cwd: root,
    env: { PATH: process.env.PATH },
  });
  const [[status, signal], stdout, stderr] = await Promise.all([
    once(child, 'exit'),
    text(child.stdout),
    text(child.stderr),
  ]);
  return { status, signal, stdout, stderr };
}

it.concurrent.each<[string, string, Record<string, unknown>]>([
  ['a loop', 'for (;;);', { status: 124, stdout: 'ended by the watchdog', stderr: '' }],
  [
    'a regular expression',
    `/^(a+)+$/.test('a'.repeat(60) + 'b');`,
    { status: 124, stdout: 'ended by the watchdog', stderr: '' },
  ],
  [
    'promises without end',
    'void (async () => { for (;;) await null; })();',
    { status: 124, stdout: 'ended by the watchdog', stderr: '' },
  ],
  ['a wait for the system', `execFileSync('sleep', ['5'], { stdio: 'ignore' });`, { status: null, signal: 'SIGKILL' }],
  ['nothing', 'setTimeout(callOff, 1500);', { status: 0, stdout: '', stderr: '' }],
])('ends a process that is blocked by %s', async (_what, work, end) => {
  expect(await blockedBy(work)).toMatchObject(end);
});
