import { existsSync } from 'node:fs';
import { Failure } from '../../failure.ts';
import { findRun } from '../../ledger/find.ts';
import { type Ledger, openLedger } from '../../ledger/ledger.ts';
import { isDatabaseError } from '../../stores/database.ts';
import { ledgerPlace } from '../../stores/open-store.ts';
import { openOutbox, type Outbox } from '../../stores/outbox.ts';
import { shortRunId } from '../../stores/run-id.ts';
import type { RunRecord, RunStore } from '../../stores/run-store.ts';
import { tapesPlace } from '../../stores/tapes-place.ts';
import { plural } from '../../terminal/figures.ts';
import { oneLine } from '../../terminal/plain.ts';
import type { Option, Options } from '../command.ts';
import type { Context } from '../context.ts';

/** The flags of every command that reads or writes the ledger. */
export const ledgerOption = {
  ledger: { type: 'string', value: 'FILE|URL', help: 'This ledger instead of RUNWIRE_LEDGER, or the one in the state folder' },
  tapes: {
    type: 'string',
    value: 's3://…|postgres|files',
    help: 'Where its tapes are, instead of RUNWIRE_TAPES; see "runwire run --help"',
  },
} as const satisfies Options & { ledger: Option };

export interface LedgerFlags {
  readonly ledger?: string;
  readonly tapes?: string;
}

/** A command does its own work meanwhile, and waits so long for tapes that are on their way. */
const deliveryMs = 2000;

/** Where `absent` is given, a ledger that was never written is not made: it answers instead. */
export async function useLedger<Result>(
  flags: LedgerFlags,
  context: Context,
  use: (ledger: Ledger) => Promise<Result>,
  absent?: (name: string) => Promise<Result>,
): Promise<Result> {
  const place = ledgerPlace(flags.ledger, context.env, context.cwd);
  if (place.kind === 'none') throw new Failure('input', 'the ledger is "none", so there are no runs; name one with --ledger');
  const outbox = openOutbox(place, context.env);
  if (absent !== undefined && place.kind === 'sqlite' && !existsSync(place.path) && outbox.isEmpty) return absent(place.path);
  const ledger = await openLedger(place, context.env, tapesPlace(flags.tapes, context.env, place)).catch((error: unknown) => {
    if (!(error instanceof Failure) || !isDatabaseError(error.cause)) throw error;
    throw new Failure('config', `${error.message}; "runwire runs verify" looks closer`, { cause: error.cause });
  });
  const { store } = ledger;
  const delivering = deliverTapes(ledger, context);
  try {
    await bringUpToDate(ledger, outbox, context);
    return await use(ledger);
  } catch (error) {
    if (!isDatabaseError(error)) throw error;
    throw new Failure('config', `the ledger ${store.name} fails: ${error.message}; "runwire runs verify" looks closer`, { cause: error });
  } finally {
    await delivering;
    await store.close();
  }
}

/** Whoever comes next takes along the tapes that could not be delivered. */
async function deliverTapes({ tapes }: Ledger, context: Context): Promise<void> {
  const left = await tapes.deliver(context.now(), deliveryMs).catch(() => []);
  const [first] = left;
  if (first === undefined) return;
  context.warn(`runwire: ${plural(left.length, 'tape')} of this machine could not be delivered yet: ${oneLine(first.why, 400)}`);
}

/**
 * Whoever comes next delivers what the ledger could not be told, and ends the runs whose process is gone. A reader must be
 * served also where it cannot write: in a read-only folder, beside a writer that does not let go.
 */
async function bringUpToDate({ store, tapes }: Ledger, outbox: Outbox, context: Context): Promise<void> {
  const { closeInterrupted } = await import('../../ledger/close-interrupted.ts');
  try {
    if (!outbox.isEmpty) await (await import('../../ledger/deliver.ts')).deliver(store, outbox, tapes, context.now());
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

/** The run that a person means by a word, or what is wrong with the word. */
export async function namedRun(store: RunStore, word: string): Promise<RunRecord> {
  const found = await findRun(store, word);
  if (found.kind === 'run') return found.run;
  const shown = oneLine(word, 60);
  if (found.kind === 'ambiguous')
    throw new Failure('input', `ambiguous id "${shown}": it may be ${found.ids.map(shortRunId).join(', ')}; give more of it`);
  throw new Failure('input', word === 'last' ? 'no runs yet' : `no run "${shown}"; "runwire runs list" shows them`);
}

/** `count` runs, no more and no less. */
export function runWords(operands: readonly string[], count: number, usage: string): string[] {
  if (operands.length !== count) throw new Failure('input', `expected ${usage}; see --help`);
  return [...operands];
}
