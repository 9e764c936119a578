import { timeInWords } from '../../time/duration.ts';
import type { RunOutcome } from '../../outcome/outcome.ts';
import { exitOf, startListening } from '../../processes/child.ts';
import type { Environment } from '../../words/vocabulary.ts';

/** A command that hangs must not delay the exit code of the run for longer than this. */
const limitMs = 60_000;
/** Processes that it left running get the first time to exit by themselves, and the second after they were asked to. */
const timeToGoMs = 100;
const graceMs = 1000;

interface OnEndOptions {
  cwd: string;
  env: Environment;
  complain(message: string): void;
}

/** `--on-end CMD`: gets the outcome as one line of JSON on its stdin, and its output goes to stderr. If it fails, the run has not failed. */
export async function runOnEnd(
  command: string,
  outcome: RunOutcome,
  { cwd, env, complain }: OnEndOptions,
): Promise<void> {
  const verdict = {
    RUNWIRE_STATUS: outcome.status,
    RUNWIRE_CLASS: outcome.verdict.class,
    RUNWIRE_EXIT_CODE: String(outcome.verdict.exit_code),
    RUNWIRE_SESSION_ID: outcome.session_id,
  };
  const { child, end } = startListening({
    command: '/bin/sh',
    args: ['-c', command],
    cwd,
    env: { ...env, ...verdict },
  });
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    void end(0);
  }, limitMs);
  // The command need not read the outcome.
  child.stdin.on('error', () => {});
  child.stdin.end(`${JSON.stringify(outcome)}\n`);
  const problem = await exitOf(child).then(
    ({ code, signal }) => (code === 0 ? '' : code === null ? `ended by ${signal}` : `exit code ${code}`),
    (error: Error) => error.message,
  );
  clearTimeout(timer);
  await end(graceMs, timeToGoMs);
  if (problem !== '')
    complain(`--on-end ${command}: ${isLate ? `stopped: it took longer than ${timeInWords(limitMs)}` : problem}`);
}
