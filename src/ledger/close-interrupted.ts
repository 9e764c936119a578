import { join } from 'node:path';
import { runwire } from '../dialects/runwire/index.ts';
import type { RunOutcome } from '../outcome/outcome.ts';
import { Reader } from '../pipeline/reader.ts';
import { isGone } from '../stores/owner.ts';
import type { OpenRun, RunStore } from '../stores/run-store.ts';
import { readTape } from '../stores/tapes.ts';

export interface Closing {
  tapesFolder: string;
  now: number;
}

/** Ends the runs whose process is gone, with everything that their tapes received; answers their ids. */
export async function closeInterrupted(store: RunStore, { tapesFolder, now }: Closing): Promise<string[]> {
  const closed: string[] = [];
  for (const run of await store.open()) {
    if (!isGone(run, now)) continue;
    const ending = await endingOf(run, tapesFolder);
    if (await store.closeInterrupted(run, ending)) closed.push(run.id);
  }
  return closed;
}

async function endingOf(run: OpenRun, tapesFolder: string) {
  let last = run.last_sequence;
  let lastAt = run.heartbeat_at;
  const reader = new Reader({
    dialect: runwire,
    metadata: run.prompt === '' ? {} : { initial_prompt: run.prompt },
    onRecord({ sequence, timestamp }) {
      last = Math.max(last, sequence);
      if (timestamp !== null) lastAt = Math.max(lastAt, Date.parse(timestamp));
    },
  });
  const trouble = run.tape === undefined ? 'it has no tape' : await play(join(tapesFolder, run.tape), reader);
  const received = last;
  const price = reader.needsPrice ? await (await import('../outcome/price-table.ts')).loadPrices() : undefined;
  const outcome = reader.end(undefined, price);
  return { outcome: explained(outcome, trouble), ended_at: lastAt, last_sequence: received };
}

/** Whole lines only: what a kill cut in the middle was never told. */
async function play(path: string, reader: Reader): Promise<string | undefined> {
  let rest: Uint8Array = new Uint8Array();
  try {
    for await (const bytes of readTape(path)) {
      const chunk = Buffer.concat([rest, bytes]);
      const end = chunk.lastIndexOf(10) + 1;
      rest = chunk.subarray(end);
      reader.stdout(chunk.subarray(0, end));
    }
    return undefined;
  } catch (error) {
    return `its tape cannot be read: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function explained(outcome: RunOutcome, trouble: string | undefined): RunOutcome {
  const evidence = { signal: 'ledger', detail: ['the process that ran it is gone', trouble].filter(Boolean).join('; ') };
  return { ...outcome, verdict: { ...outcome.verdict, evidence: [...outcome.verdict.evidence, evidence] } };
}
