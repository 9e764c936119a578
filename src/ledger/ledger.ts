import { existsSync } from 'node:fs';
import { Failure, messageOf } from '../failure.ts';
import { present } from '../json/present.ts';
import { isOutOfRoom } from '../stores/database.ts';
import type { Opening } from '../stores/no-ledger-yet.ts';
import { type LedgerPlace, openStore } from '../stores/open-store.ts';
import { openTapes } from '../stores/open-tapes.ts';
import type { Outbox } from '../stores/outbox.ts';
import type { Page, RunFilter, RunStore, RunSummary } from '../stores/run-store.ts';
import type { Tapes } from '../tapes/tape.ts';
import { type TapesPlace, tapesPlace } from '../tapes/tapes-place.ts';
import type { Environment } from '../words/vocabulary.ts';

/** Where runs and their tapes are stored. The caller that opened it closes its store. */
export interface Ledger {
  store: RunStore;
  tapes: Tapes;
}

/** A place where a ledger is, or may be. */
export type SomePlace = Exclude<LedgerPlace, { kind: 'none' }>;

/** Throws `Failure` if the environment names no possible place for tapes. */
export async function openLedgerAt(
  place: SomePlace,
  env: Environment,
  tapes: TapesPlace = tapesPlace(undefined, env, place),
  opening?: Opening,
): Promise<Ledger> {
  return withTapes(await openStore(place, opening), place, env, tapes);
}

/** The empty content of a ledger that was never written; opening it does not create it. */
export async function emptyLedgerAt(place: SomePlace, env: Environment, tapes: TapesPlace): Promise<Ledger> {
  return withTapes(await openStore({ kind: 'sqlite', path: ':memory:' }), place, env, tapes);
}

function withTapes(store: RunStore, place: SomePlace, env: Environment, tapes: TapesPlace): Ledger {
  return { store, tapes: openTapes(place, env, { place: tapes, chunks: async () => store.chunks }) };
}

/** Whether there is anything to read: a file, or runs on their way to it. For a server only a query can tell. */
export function isWritten(place: SomePlace, outbox: Outbox): boolean {
  return place.kind !== 'sqlite' || existsSync(place.path) || !outbox.isEmpty;
}

/** A database error as a failure of the ledger. */
export function ledgerFailure(name: string, error: unknown): Failure {
  return new Failure('config', `the ledger ${name} fails: ${messageOf(error)}; ${remedyFor(error)}`, { cause: error });
}

/** What to try when the ledger fails. */
export function remedyFor(error: unknown): string {
  return isOutOfRoom(error)
    ? 'free some room on its disk, such as by "runwire runs prune --older-than 30d --tapes-only --yes"'
    : 'try "runwire runs verify"';
}

const pageLength = 500;

/** All runs that match a filter, newest first, one page in memory at a time. */
export async function* allRuns(store: RunStore, filter: RunFilter): AsyncGenerator<RunSummary> {
  for (let page: Page<RunSummary> | undefined; page === undefined || page.next !== undefined;) {
    page = await store.list(filter, { limit: pageLength, ...present({ after: page?.next }) });
    yield* page.runs;
  }
}
