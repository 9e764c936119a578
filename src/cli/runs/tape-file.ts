import { existsSync } from 'node:fs';
import { isAbsolute, join, relative } from 'node:path';
import { runwire } from '../../dialects/runwire/index.ts';
import { shortRunId } from '../../stores/run-id.ts';
import type { RunSummary } from '../../stores/run-store.ts';
import { readTape, type TapeEnd } from '../../stores/tapes.ts';
import { Reader, type ReaderOptions } from '../../pipeline/reader.ts';

/** Where a run's tape is, or why there is none to read here. */
export function tapeFile(tapes: string, run: RunSummary): { path: string } | { missing: string } {
  if (run.tape === undefined) return { missing: `the run ${shortRunId(run.id)} has no tape: it was imported, or made without one` };
  const path = join(tapes, run.tape);
  // The ledger may be another team's: what it says of a place is not to lead out of ours.
  const inside = relative(tapes, path);
  if (inside.startsWith('..') || isAbsolute(inside)) return { missing: `the tape of ${shortRunId(run.id)} is not in ${tapes}` };
  if (existsSync(path)) return { path };
  const where = run.host === undefined ? '' : ` on ${run.host}`;
  return { missing: `the tape of ${shortRunId(run.id)}${where} is not in ${tapes}: it was pruned, or is on another machine` };
}

export interface TapeReading {
  reader: Reader;
  end: TapeEnd;
}

/** Plays a tape through a reader, as far as it can be read; `more` waits for what is still to be written. */
export async function playTape(path: string, options: ReaderOptions, more?: () => Promise<boolean>): Promise<TapeReading> {
  const reader = new Reader({ ...options, dialect: runwire });
  const bytes = readTape(path, more);
  for (;;) {
    const next = await bytes.next();
    if (next.done === true) return { reader, end: next.value };
    reader.stdout(next.value);
  }
}
