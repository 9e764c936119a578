import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { shellScript } from '../files/shell-script.ts';

/**
 * The guard's program. It reads from a pipe to us: each line is either the leader of the run and its start time, or permission to
 * leave; the end of input without that permission means that we have died. Members are identified as in ProcessTree. They are asked
 * to end and killed after a second. The guard exits only when it has found no members five times, because a process that is just being
 * executed shows neither its old environment nor its new one.
 */
const script = shellScript(import.meta.dirname, 'scripts/guard.sh');

export interface Guard {
  /** Names the leader to end when we die, in addition to every process that carries the mark. */
  watch(leader: number, started: number): void;
  /** Lets the guard exit, when there are no processes left to end. */
  leave(): Promise<void>;
}

/**
 * Starts the process that ends a run if we cannot, whatever ends us. To be called before the run's first process is started.
 *
 * Nothing slips through between the two starts, and nothing has to wait. When `spawn` returns, the guard is being executed and
 * holds its end of the pipe; ours is closed on exec. From then on our death closes the pipe, which the guard notices immediately or
 * once it begins to read. A process of the run that is forked but not executed yet has a copy of our end, so the pipe cannot close
 * before the exec that puts the mark in its environment: the guard looks for marks only when they are visible.
 */
export function startGuard(run: string, { folder = '', limit = run }: { folder?: string; limit?: string } = {}): Guard {
  // No mark, so that it does not end itself; a separate session, so that Ctrl-C in a terminal does not reach it.
  const guard = spawn('/bin/sh', ['-c', script, 'runwire-guard', run, folder, limit], {
    cwd: '/',
    // The system's own tools first: PATH may begin with a folder of the repository.
    env: { PATH: `/usr/bin:/bin:${process.env['PATH'] ?? '/bin'}`, LC_ALL: 'C' },
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  // There is no shell, or the guard was killed: the run continues, and is ended by us as long as we live.
  guard.on('error', () => {});
  guard.stdin.on('error', () => {});
  const gone = guard.pid === undefined ? undefined : once(guard, 'exit');
  guard.unref();
  const line = guard.stdin;
  if (line instanceof Socket) line.unref();
  return {
    watch: (leader, started) => void line.write(`${leader} ${started}\n`),
    async leave() {
      guard.ref();
      line.end('leave\n');
      await gone;
    },
  };
}
