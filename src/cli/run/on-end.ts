import { timeInWords } from '../../duration.ts';
import type { RunOutcome } from '../../outcome/outcome.ts';
import { exitOf, startListening } from '../../processes/child.ts';
import type { Environment } from '../../vocabulary.ts';

/** A command that hangs must not keep the run's exit code from whoever waits for it. */
const limitMs = 60_000;
/** What it started and left running gets this long to go by itself, and this long after it was asked to. */
const timeToGoMs = 100;
const graceMs = 1000;

interface OnEndOptions {
  cwd: string;
  env: Environment;
  complain(message: string): void;
}

/** `--on-end CMD`: the outcome as one line of JSON on its stdin; what it prints goes to stderr. Its failure is not the run's. */
export async function runOnEnd(command: string, outcome: RunOutcome, { cwd, env, complain }: OnEndOptions): Promise<void> {
  const verdict = {
    RUNWIRE_STATUS: outcome.status,
    RUNWIRE_CLASS: outcome.verdict.class,
    RUNWIRE_EXIT_CODE: String(outcome.verdict.exit_code),
    RUNWIRE_SESSION_ID: outcome.session_id,
  };
  const { child, end } = startListening({ command: '/bin/sh', args: ['-c', command], cwd, env: { ...env, ...verdict } });
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    void end(0);
  }, limitMs);
  // Who does not want to read the outcome need not.
  child.stdin.on('error', () => {});
  child.stdin.end(`${JSON.stringify(outcome)}\n`);
  const problem = await exitOf(child).then(
    ({ code, signal }) => (code === 0 ? '' : code === null ? `ended by ${signal}` : `exit code ${code}`),
    (error: Error) => error.message,
  );
  clearTimeout(timer);
  await end(graceMs, timeToGoMs);
  if (problem !== '') complain(`--on-end ${command}: ${isLate ? `ended, it took longer than ${timeInWords(limitMs)}` : problem}`);
}
