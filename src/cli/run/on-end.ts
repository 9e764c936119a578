import { spawn } from 'node:child_process';
import type { RunOutcome } from '../../outcome/outcome.ts';
import type { Environment } from '../../vocabulary.ts';

/** A command that hangs must not keep the run's exit code from whoever waits for it. */
const limitMs = 60_000;

interface Surroundings {
  cwd: string;
  env: Environment;
  complain(message: string): void;
}

/** `--on-end CMD`: the outcome as one line of JSON on its stdin; what it prints goes to stderr. Its failure is not the run's. */
export function runOnEnd(command: string, outcome: RunOutcome, { cwd, env, complain }: Surroundings): Promise<void> {
  return new Promise((resolve) => {
    const child = spawn(command, {
      shell: true,
      cwd,
      env: {
        ...env,
        RUNWIRE_STATUS: outcome.status,
        RUNWIRE_CLASS: outcome.verdict.class,
        RUNWIRE_EXIT_CODE: String(outcome.verdict.exit_code),
        RUNWIRE_SESSION_ID: outcome.session_id,
      },
      stdio: ['pipe', 2, 2],
      timeout: limitMs,
      killSignal: 'SIGKILL',
    });
    const done = (problem: string): void => {
      if (problem !== '') complain(`--on-end ${command}: ${problem}`);
      resolve();
    };
    child.on('error', (error) => done(error.message));
    child.on('close', (code, signal) => done(code === 0 ? '' : code === null ? `ended by ${signal}` : `exit code ${code}`));
    // Who does not want to read the outcome need not.
    child.stdin?.on('error', () => {});
    child.stdin?.end(`${JSON.stringify(outcome)}\n`);
  });
}
