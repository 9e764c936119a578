import { Failure } from '../../failure.ts';
import { isWritten, type Ledger, ledgerFailure, openLedgerAt, remedyFor } from '../../ledger/ledger.ts';
import { bringUpToDate, deliverTapes } from '../../ledger/up-to-date.ts';
import { isDatabaseError } from '../../stores/database.ts';
import { NoLedgerYet } from '../../stores/no-ledger-yet.ts';
import { ledgerPlace } from '../../stores/open-store.ts';
import { openOutbox } from '../../stores/outbox.ts';
import { tapesPlace } from '../../tapes/tapes-place.ts';
import { plural } from '../../terminal/figures.ts';
import { oneLine } from '../../terminal/plain.ts';
import type { Options } from '../command.ts';
import type { Context } from '../context.ts';

/** The flags of every command that reads or writes the ledger. */
export const ledgerOption = {
  ledger: {
    type: 'string',
    value: 'FILE|URL',
    help: 'The ledger to use (default: RUNWIRE_LEDGER, else the one in the state folder)',
  },
  tapes: {
    type: 'string',
    value: 's3://…|postgres|files',
    help: 'Where its tapes are (default: RUNWIRE_TAPES); see "runwire run --help"',
  },
} as const satisfies Options;

export interface LedgerFlags {
  readonly ledger?: string;
  readonly tapes?: string;
}

/** With `absent`, a ledger that does not exist yet is not created; `absent` answers instead. */
export async function useLedger<Result>(
  flags: LedgerFlags,
  context: Context,
  use: (ledger: Ledger) => Promise<Result>,
  absent?: (name: string) => Promise<Result>,
): Promise<Result> {
  const place = ledgerPlace(flags.ledger, context.env, context.cwd);
  if (place.kind === 'none')
    throw new Failure('input', 'the ledger is "none", so there are no runs; name one with --ledger');
  const outbox = openOutbox(place, context.env);
  if (absent !== undefined && place.kind === 'sqlite' && !isWritten(place, outbox)) return absent(place.path);
  const tapes = tapesPlace(flags.tapes, context.env, place);
  const mayCreate = absent === undefined || !outbox.isEmpty;
  const ledger = await openLedgerAt(place, context.env, tapes, { mayCreate }).catch((error: unknown) => {
    if (error instanceof NoLedgerYet) return error;
    if (!(error instanceof Failure) || !isDatabaseError(error.cause)) throw error;
    throw new Failure('config', `${error.message}; ${remedyFor(error.cause)}`, { cause: error.cause });
  });
  if (ledger instanceof NoLedgerYet) {
    if (absent === undefined) throw ledger;
    return absent(ledger.place);
  }
  const { store } = ledger;
  const delivering = tellUndelivered(ledger, context);
  try {
    const why = await bringUpToDate(ledger, outbox, context.now());
    if (why !== undefined) context.warn(`runwire: warning: interrupted runs could not be closed: ${why}`);
    return await use(ledger);
  } catch (error) {
    throw isDatabaseError(error) ? ledgerFailure(store.name, error) : error;
  } finally {
    await delivering;
    await store.close();
  }
}

async function tellUndelivered(ledger: Ledger, context: Context): Promise<void> {
  const left = await deliverTapes(ledger, context.now());
  const [first] = left;
  if (first === undefined) return;
  context.warn(
    `runwire: ${plural(left.length, 'tape')} of this machine could not be delivered yet: ${oneLine(first.why, 400)}`,
  );
}

/** For commands that show many runs: an empty ledger is not a failure. */
export async function noRunsYet(context: Context, name: string): Promise<number> {
  context.warn(`runwire: no runs yet: ${name} does not exist; "runwire run" and "runwire runs import" create it`);
  return 0;
}

/** For commands that name a run. */
export async function noSuchLedger(name: string): Promise<never> {
  throw new Failure('input', `no runs yet: ${name} does not exist`);
}

/** Exactly `count` runs. */
export function runWords(operands: readonly string[], count: number, usage: string): string[] {
  if (operands.length !== count) throw new Failure('input', `expected ${usage}; see --help`);
  return [...operands];
}
