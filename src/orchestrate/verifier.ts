import { runInside } from '../workspace/run-inside.ts';
import { safeStart } from '../redact/safe-cut.ts';
import { inFreshCopy } from './fresh-copy.ts';
import { Gate } from './gate.ts';
import type { Settings } from './settings.ts';

export interface Verification {
  /** `base_red`: it fails, and did so before any work. */
  result: 'passed' | 'failed' | 'flaky' | 'base_red';
  command: string;
  exit_code: number | null;
  timed_out: boolean;
  /** How often it was run; a failure is retried once. */
  attempts: number;
  /** The result on the commit that the work started from. */
  base: 'passed' | 'failed' | 'flaky';
  duration_ms: number;
  /** The end of its output. */
  output: string;
}

type Tried = Omit<Verification, 'result' | 'base'> & { result: 'passed' | 'failed' | 'flaky' };

const atOnce = 2;

/** Runs a command on a commit, in a fresh copy that no agent has worked in, with only the declared variables. */
export class Verifier {
  readonly #settings: Settings;
  readonly #gate = new Gate(atOnce);
  readonly #bases = new Map<string, Promise<Tried>>();

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /** The base is verified first: an agent is not blamed for what failed before it began. */
  async verify(commit: string, command: string, signal: AbortSignal): Promise<Verification> {
    const { commit: baseCommit } = this.#settings.base;
    const key = `${baseCommit} ${command}`;
    const known = this.#bases.get(key) ?? this.#try(baseCommit, command, signal);
    this.#bases.set(key, known);
    const base = await known.catch((error: unknown) => {
      this.#bases.delete(key);
      throw error;
    });
    const tried = commit === baseCommit ? base : await this.#try(commit, command, signal);
    const isNobodys = tried.result === 'failed' && base.result === 'failed';
    return { ...tried, result: isNobodys ? 'base_red' : tried.result, base: base.result };
  }

  /** Retries once after a failure: a command that then passes is flaky, which is neither good nor bad but worth reporting. */
  async #try(commit: string, command: string, signal: AbortSignal): Promise<Tried> {
    const first = await this.#once(commit, command, signal);
    if (first.result === 'passed' || first.timed_out) return first;
    const isBase = commit === this.#settings.base.commit;
    const exit = `exit code ${first.exit_code ?? 'none'}`;
    this.#settings.warn(
      isBase
        ? `the verify command fails before any work (${exit}); running it once more to be sure`
        : `verify failed on ${commit.slice(0, 10)} (${exit}); running it once more`,
    );
    const second = await this.#once(commit, command, signal);
    const duration_ms = first.duration_ms + second.duration_ms;
    return { ...second, attempts: 2, duration_ms, result: second.result === 'passed' ? 'flaky' : 'failed' };
  }

  #once(commit: string, command: string, signal: AbortSignal): Promise<Tried> {
    const { isolate, setup, copy, cwd, env, clock, spec, variables, verifyTimeoutMs } = this.#settings;
    return this.#gate.through(async () => {
      signal.throwIfAborted();
      const startedAt = clock();
      const ask = { cwd, env, pass: spec.pass_env, variables, isolate, setup, copy };
      return inFreshCopy(commit, ask, signal, async (workspace, declared) => {
        const { exitCode, output, timedOut } = await runInside(workspace, command, {
          env: declared,
          signal,
          timeoutMs: verifyTimeoutMs,
        });
        // A command that was stopped proves nothing.
        signal.throwIfAborted();
        return {
          result: exitCode === 0 ? 'passed' : 'failed',
          command,
          exit_code: exitCode,
          timed_out: timedOut,
          attempts: 1,
          duration_ms: Math.round(clock() - startedAt),
          output: output.slice(safeStart(output, output.length - 8000)),
        };
      });
    });
  }
}
