import { exitCodes, Failure } from '../failure.ts';
import { shortRunId } from '../ids/run-id.ts';
import type { Ledger } from './ledger.ts';
import type { Waiting } from './tail.ts';
import { endIfGone } from './up-to-date.ts';

const lookMs = 500;
/** After how many polls to check whether the process of the run still exists. */
const looksPerCheck = 4;

/** The state of a run: what is reported while it runs, and how it ended. */
export interface RunState {
  run: string;
  state: string;
  /** Absent: it is still running. */
  end?: { class: string; exit_code: number; message?: string };
}

/** Asks the ledger or the queue for the state of a run. Throws `Failure` if the run no longer exists. */
export type Look = () => Promise<RunState>;

/** Looks at a run of the ledger. */
export function lookAt(ledger: Ledger, id: string, { now }: Pick<Waiting, 'now'>): Look {
  let looks = 0;
  return async () => {
    if (looks % looksPerCheck === looksPerCheck - 1) await endIfGone(ledger, now());
    looks += 1;
    const run = await ledger.store.get(id);
    if (run === undefined) throw new Failure('input', `the run ${shortRunId(id)} no longer exists`);
    const { status, class: verdict = status, exit_code = exitCodes.incomplete } = run;
    return { run: id, state: verdict, ...(status === 'running' ? {} : { end: { class: verdict, exit_code } }) };
  };
}

/** Yields every change until all have ended or the timeout passes. Returns the state of each, in the order given. */
export async function* waitFor(
  looks: readonly Look[],
  { now, sleep, timeoutMs = Infinity }: Pick<Waiting, 'now' | 'sleep'> & { timeoutMs?: number | undefined },
): AsyncGenerator<RunState, readonly RunState[]> {
  const until = now() + timeoutMs;
  const yielded = new Map<string, string>();
  for (;;) {
    const states = await Promise.all(looks.map((look) => look()));
    for (const each of states) {
      if (yielded.get(each.run) !== each.state) yield each;
      yielded.set(each.run, each.state);
    }
    if (states.every(({ end }) => end !== undefined) || now() >= until) return states;
    await sleep(Math.min(lookMs, Math.max(1, until - now())));
  }
}
