import { setTimeout as sleep } from 'node:timers/promises';
import { present } from '../json/present.ts';
import { openLedgerAt } from '../ledger/ledger.ts';
import type { RunOutcome } from '../outcome/outcome.ts';
import type { Attempt, RunRecord } from '../stores/run-store.ts';
import type { Tapes } from '../tapes/tape.ts';
import type { Claimed } from './claim-jobs.ts';
import type { WorkerOptions } from './worker.ts';

/** A bucket may be unreachable. */
const tapePatienceMs = 5000;

/** What the ledger and the tapes know about the attempts of other workers; the last of them was never closed. */
export async function earlierAttempts(
  { run: id, attempt, before, parked }: Claimed,
  { ledger, env }: Pick<WorkerOptions, 'ledger' | 'env'>,
): Promise<Attempt[]> {
  if (parked !== undefined && attempt === before + 1) return [...parked.attempts];
  const { store, tapes } = await openLedgerAt(ledger, env);
  try {
    const known = await store.get(id);
    const earlier = [...(known?.attempts ?? [])];
    // Queued once more after its end: the row of the run holds that end.
    if (attempt === before + 1 && known?.class !== undefined)
      return [...earlier, endedAttempt(earlier.length + 1, known)];
    // The row of a run holds one attempt; any attempts after it never reached the ledger.
    if (earlier.length < attempt - 1) earlier.push(await lostAttempt(earlier.length + 1, known, tapes));
    while (earlier.length < attempt - 1) earlier.push(await lostAttempt(earlier.length + 1, undefined, tapes));
    return earlier;
  } finally {
    await store.close();
  }
}

function endedAttempt(
  number: number,
  { status, class: name, outcome, started_at, duration_ms, session_id, cost }: RunRecord,
): Attempt {
  return {
    number,
    status: status === 'running' ? 'incomplete' : status,
    class: name ?? 'incomplete',
    reason: 'it was queued again',
    ...present({ started_at, duration_ms, session_id, cost, tokens_used: outcome?.metrics.tokens_used }),
  };
}

async function lostAttempt(number: number, known: RunRecord | undefined, tapes: Tapes): Promise<Attempt> {
  const { started_at, heartbeat_at, session_id, input_tokens, output_tokens, cost, host } = known ?? {};
  const ownTokens =
    input_tokens === undefined && output_tokens === undefined ? undefined : (input_tokens ?? 0) + (output_tokens ?? 0);
  const taped = known === undefined ? undefined : await usedByTape(tapes, known);
  return {
    number,
    status: 'incomplete',
    class: 'incomplete',
    reason: `its worker${host === undefined ? '' : ` on ${host}`} was lost`,
    ...present({
      started_at,
      session_id: session_id ?? (taped?.session_id || undefined),
      tokens_used: more(ownTokens, taped?.metrics.tokens_used),
      cost: more(cost, taped?.metrics.cost),
      duration_ms: started_at === undefined || heartbeat_at === undefined ? undefined : heartbeat_at - started_at,
    }),
  };
}

/** A worker updates the ledger now and then, but its tape at once. Undefined: the tape cannot be read soon enough. */
async function usedByTape(tapes: Tapes, run: RunRecord): Promise<RunOutcome | undefined> {
  const { endReading, tapeOf, tapeReader } = await import('../ledger/run-tape.ts');
  const read = async (): Promise<RunOutcome | undefined> => {
    const found = await tapeOf(tapes, run);
    if ('missing' in found) return undefined;
    const reader = tapeReader({});
    for await (const lines of found.tape.read()) reader.stdout(lines);
    return endReading(reader);
  };
  return Promise.race([read().catch(() => undefined), sleep(tapePatienceMs, undefined, { ref: false })]);
}

function more(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.max(one, other);
}
