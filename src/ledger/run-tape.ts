import { runwire } from '../dialects/runwire/index.ts';
import { Reader, type ReaderOptions } from '../pipeline/reader.ts';
import { shortRunId } from '../stores/run-id.ts';
import type { RunSummary } from '../stores/run-store.ts';
import type { Tape, Tapes } from '../stores/tape.ts';

/** A run's tape, or why there is none to read here. */
export async function tapeOf(tapes: Tapes, run: RunSummary): Promise<{ tape: Tape; bytes: number } | { missing: string }> {
  if (run.tape === undefined) return { missing: `the run ${shortRunId(run.id)} has no tape: it was imported, or made without one` };
  const tape = tapes.at(run.tape);
  if (tape === undefined) return { missing: `the tape of ${shortRunId(run.id)} is not in ${tapes.name}` };
  const bytes = await tape.size();
  if (bytes !== undefined) return { tape, bytes };
  const where = run.host === undefined ? '' : ` on ${run.host}`;
  return { missing: `the tape of ${shortRunId(run.id)}${where} is not in ${tapes.name}: it was pruned, or is on another machine` };
}

/** Plays a tape through a reader, as far as it can be read; `more` waits for what is still to be written. */
export async function playTape(tape: Tape, options: ReaderOptions, more?: () => Promise<boolean>): Promise<Reader> {
  const reader = new Reader({ ...options, dialect: runwire });
  for await (const lines of more === undefined ? tape.read() : tape.follow(more)) reader.stdout(lines);
  return reader;
}
