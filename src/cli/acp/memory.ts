import type { Remembered } from '../../acp/agent.ts';
import type { EventRecord } from '../../events/event.ts';
import { allRuns, isWritten, type Ledger, openLedgerAt } from '../../ledger/ledger.ts';
import { tapeOf } from '../../ledger/run-tape.ts';
import { runRecords } from '../../ledger/tail.ts';
import type { LedgerRequest } from '../../run/sinks/ledger.ts';
import { NoLedgerYet } from '../../stores/no-ledger-yet.ts';
import { openOutbox } from '../../stores/outbox.ts';
import type { RunSummary } from '../../stores/run-store.ts';
import type { Environment } from '../../words/vocabulary.ts';

/** The label that names the session to which the prompt of a run belongs. */
export const sessionLabel = 'acp_session';

/** What the ledger knows about a session. */
export async function rememberSession(
  kept: LedgerRequest | undefined,
  env: Environment,
  sessionId: string,
): Promise<Remembered | undefined> {
  // Labels are looked up by their text: an id that cannot be one of ours needs no query.
  if (kept === undefined || !/^[\w-]{1,64}$/.test(sessionId)) return undefined;
  const ledger = await openExisting(kept, env);
  if (ledger === undefined) return undefined;
  const runs: RunSummary[] = [];
  for await (const run of allRuns(ledger.store, { labels: { [sessionLabel]: sessionId } })) runs.unshift(run);
  const agentSession = runs.findLast(({ session_id }) => session_id !== undefined && session_id !== '')?.session_id;
  if (agentSession !== undefined)
    return { agentSession, records: recordsOf(ledger, runs), close: () => ledger.store.close() };
  await ledger.store.close();
  return undefined;
}

/** Whoever only reads does not create a ledger. */
async function openExisting({ place, tapes }: LedgerRequest, env: Environment): Promise<Ledger | undefined> {
  const outbox = openOutbox(place, env);
  if (!isWritten(place, outbox)) return undefined;
  try {
    return await openLedgerAt(place, env, tapes, { mayCreate: !outbox.isEmpty });
  } catch (error) {
    if (error instanceof NoLedgerYet) return undefined;
    throw error;
  }
}

async function* recordsOf(ledger: Ledger, runs: readonly RunSummary[]): AsyncGenerator<EventRecord> {
  for (const run of runs) {
    const found = await tapeOf(ledger.tapes, run);
    if ('missing' in found) continue;
    for await (const records of runRecords(ledger, run, found.tape)) for (const { record } of records) yield record;
  }
}
