import { priceLoader } from '../builtin/config/price.ts';
import { runwire } from '../dialects/runwire/index.ts';
import type { RunOutcome } from '../outcome/outcome.ts';
import { Reader, type ReaderOptions } from '../pipeline/reader.ts';
import type { ProcessEnd } from '../pipeline/thread.ts';
import { readAddress } from '../tapes/chunks/chunk.ts';
import { shortRunId } from '../ids/run-id.ts';
import type { RunSummary } from '../stores/run-store.ts';
import type { Tape, Tapes } from '../tapes/tape.ts';

/** A run's tape, or why there is none to read here. */
export async function tapeOf(
  tapes: Tapes,
  run: RunSummary,
): Promise<{ tape: Tape; bytes: number } | { missing: string }> {
  if (run.tape === undefined)
    return { missing: `the run ${shortRunId(run.id)} has no tape: it was imported, or made without one` };
  const tape = tapes.at(run.tape);
  const bytes = await tape?.size();
  if (tape !== undefined && bytes !== undefined) return { tape, bytes };
  // The first records of a run that has just begun elsewhere are still on their way.
  if (tape !== undefined && run.status === 'running' && readAddress(run.tape) !== undefined) return { tape, bytes: 0 };
  return { missing: `the tape of ${shortRunId(run.id)} ${tapes.whereIs(run.tape, run.host)}` };
}

export function tapeReader(options: Omit<ReaderOptions, 'dialect'>): Reader {
  return new Reader({ ...options, dialect: runwire });
}

/** The outcome of what was read, with a computed cost if the agent reported tokens but no cost. `loadPrice`: by default, the table. */
export async function endReading(reader: Reader, process?: ProcessEnd, loadPrice = priceLoader()): Promise<RunOutcome> {
  reader.endInput(process);
  const price = reader.needsPrice ? await loadPrice() : undefined;
  return reader.end(process, price);
}
