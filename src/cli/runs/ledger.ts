import { existsSync } from 'node:fs';
import { Failure } from '../../failure.ts';
import { ledgerPlace, openStore } from '../../stores/open-store.ts';
import { openTapes } from '../../stores/open-tapes.ts';
import { shortRunId } from '../../stores/run-id.ts';
import type { RunRecord, RunStore } from '../../stores/run-store.ts';
import type { Tapes } from '../../stores/tape.ts';
import type { Option, Options } from '../command.ts';
import type { Context } from '../context.ts';
import { oneLine } from '../../terminal/plain.ts';

/** The flag of every command that reads or writes the ledger. */
export const ledgerOption = {
  ledger: { type: 'string', value: 'FILE|URL', help: 'This ledger instead of RUNWIRE_LEDGER, or the one in the state folder' },
} as const satisfies Options & { ledger: Option };

export interface Ledger {
  store: RunStore;
  tapes: Tapes;
}

interface Flags {
  readonly ledger?: string;
}

/** Where `absent` is given, a ledger that was never written is not made: it answers instead. */
export async function useLedger<Result>(
  flags: Flags,
  context: Context,
  use: (ledger: Ledger) => Promise<Result>,
  absent?: (name: string) => Promise<Result>,
): Promise<Result> {
  const place = ledgerPlace(flags.ledger, context.env, context.cwd);
  if (place.kind === 'none') throw new Failure('input', 'the ledger is "none", so there are no runs; name one with --ledger');
  if (absent !== undefined && place.kind === 'sqlite' && !existsSync(place.path)) return absent(place.path);
  const store = await openStore(place);
  try {
    const tapes = openTapes(place, context.env);
    await endInterrupted({ store, tapes }, context);
    return await use({ store, tapes });
  } catch (error) {
    if (!isDatabaseError(error)) throw error;
    throw new Failure('config', `the ledger ${store.name} fails: ${error.message}; "runwire runs verify" looks closer`, { cause: error });
  } finally {
    await store.close();
  }
}

/** SQLite numbers its errors, PostgreSQL grades them, and a connection names the call that failed. */
export function isDatabaseError(error: unknown): error is Error {
  return error instanceof Error && ('errcode' in error || 'severity' in error || ('syscall' in error && 'address' in error));
}

/**
 * Whoever comes next ends the runs whose process is gone. A reader must be served also where it cannot write: in a
 * read-only folder, beside a writer that does not let go.
 */
export async function endInterrupted({ store, tapes }: Ledger, context: Context): Promise<void> {
  const { closeInterrupted } = await import('../../ledger/close-interrupted.ts');
  try {
    await closeInterrupted(store, tapes, context.now());
  } catch (error) {
    if (!isDatabaseError(error)) throw error;
    context.warn(`runwire: warning: interrupted runs could not be closed: ${error.message}`);
  }
}

/** For commands that show many runs: an empty ledger is no failure. */
export async function noRunsYet(context: Context, name: string): Promise<number> {
  context.warn(`runwire: no runs yet: ${name} does not exist; "runwire run" and "runwire runs import" write it`);
  return 0;
}

/** For commands that name a run. */
export async function noSuchLedger(name: string): Promise<never> {
  throw new Failure('input', `no runs yet: ${name} does not exist`);
}

/** The run that a person means: a whole id, the beginning of a short one, or `last`. */
export async function findRun(store: RunStore, word: string): Promise<RunRecord> {
  const ids = word === 'last' ? (await store.list({}, { limit: 1 })).runs.map(({ id }) => id) : await store.find(word);
  const [id, ...others] = ids;
  if (id === undefined)
    throw new Failure('input', word === 'last' ? 'no runs yet' : `no run "${oneLine(word, 60)}"; "runwire runs list" shows them`);
  if (others.length > 0)
    throw new Failure('input', `"${oneLine(word, 60)}" may be ${ids.map(shortRunId).join(', ')}; say more of the one you mean`);
  const run = await store.get(id);
  if (run === undefined) throw new Failure('input', `the run ${shortRunId(id)} is no longer there`);
  return run;
}

/** `count` runs, no more and no less. */
export function runWords(operands: readonly string[], count: number, usage: string): string[] {
  if (operands.length !== count) throw new Failure('input', `expected ${usage}; see --help`);
  return [...operands];
}
