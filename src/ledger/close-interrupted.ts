import { messageOf } from '../failure.ts';
import type { RunOutcome } from '../outcome/outcome.ts';
import type { Reader } from '../pipeline/reader.ts';
import { isGone } from '../stores/owner.ts';
import type { Ending, OpenRun, RunStore } from '../stores/run-store.ts';
import type { Tapes } from '../stores/tape.ts';

/** Ends the runs whose process is gone, with everything that their tapes received; answers their ids. */
export async function closeInterrupted(store: RunStore, tapes: Tapes, now: number): Promise<string[]> {
  const closed: string[] = [];
  for (const run of await store.open()) {
    if (!isGone(run, now)) continue;
    const ending = await endingOf(run, tapes);
    if (await store.closeInterrupted(run, ending)) closed.push(run.id);
  }
  return closed;
}

async function endingOf(run: OpenRun, tapes: Tapes): Promise<Ending> {
  // Every run that ends looks for such others and seldom finds any; reading them needs all dialects.
  const { endReading, tapeReader } = await import('./run-tape.ts');
  let last = run.last_sequence;
  let lastAt = run.heartbeat_at;
  const reader = tapeReader({
    metadata: run.prompt === '' ? {} : { initial_prompt: run.prompt },
    onRecord({ sequence, timestamp }) {
      last = Math.max(last, sequence);
      if (timestamp !== null) lastAt = Math.max(lastAt, Date.parse(timestamp));
    },
  });
  const trouble = run.tape === undefined ? 'it has no tape' : await play(tapes, run.tape, reader);
  // What ending it adds was never told.
  const received = last;
  const outcome = await endReading(reader);
  return { outcome: explained(outcome, trouble), ended_at: lastAt, last_sequence: received };
}

/** Answers what kept the tape from being read. */
async function play(tapes: Tapes, key: string, reader: Reader): Promise<string | undefined> {
  const tape = tapes.at(key);
  if (tape === undefined || (await tape.size()) === undefined) return `its tape is not in ${tapes.name}`;
  try {
    for await (const lines of tape.read()) reader.stdout(lines);
    return undefined;
  } catch (error) {
    return `its tape cannot be read: ${messageOf(error)}`;
  }
}

function explained(outcome: RunOutcome, trouble: string | undefined): RunOutcome {
  const evidence = { signal: 'ledger', detail: ['the process that ran it is gone', trouble].filter(Boolean).join('; ') };
  return { ...outcome, verdict: { ...outcome.verdict, evidence: [...outcome.verdict.evidence, evidence] } };
}
