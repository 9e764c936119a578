/// <reference lib="esnext.disposable" preserve="true" />
import { resolve } from 'node:path';
import type { StoredRun, Unreadable } from '../agents/stored/stored-run.ts';
import type { EventRecord } from '../events/event.ts';
import { Failure } from '../failure.ts';
import { pause } from '../pause.ts';
import { present } from '../present.ts';
import { openOutbox, type Outbox } from '../stores/outbox.ts';
import { shortRunId } from '../stores/run-id.ts';
import type { LedgerOutcome, Page, RunFilter, RunRecord, RunSummary, StatsOptions } from '../stores/run-store.ts';
import type { Tape } from '../stores/tape.ts';
import type { TapesPlace } from '../stores/tapes-place.ts';
import type { Environment } from '../vocabulary.ts';
import { checkGiven } from './check-given.ts';
import type { RunDiff } from './diff.ts';
import { Families } from './families.ts';
import { namedRun, withWholeIds } from './find.ts';
import * as given from './given.ts';
import type { Imported } from './import.ts';
import { emptyLedgerAt, isWritten, type Ledger, ledgerFailure, openLedgerAt, type SomePlace } from './ledger.ts';
import type { OutcomeOptions, LedgerImportOptions, FollowOptions, ListOptions, RecordsOptions } from './library.ts';
import { tapeOf } from './run-tape.ts';
import { groupingsOf, type Stats, statsBy } from './stats.ts';
import { summaryOf } from './summary.ts';
import { runRecords, type Waiting } from './tail.ts';
import { readTimeline, type Timeline } from './timeline.ts';
import { runsBelow, type TreeRow } from './tree.ts';
import { bringUpToDate, deliverTapes } from './up-to-date.ts';
import { type Finding, type Verified, verifyLedger } from './verify.ts';
import { lookAt, waitFor } from './wait.ts';

interface Where {
  place: SomePlace;
  tapes: TapesPlace;
  cwd: string;
  env: Environment;
}

const usualLimit = 50;
/** How long what is known of interrupted runs is good enough. */
const upToDateMs = 5000;

/**
 * The ledger as a library has it: questions about runs of any process, by their id, the beginning of a short one, or `last`.
 * Whatever is thrown is a `Failure`. Who opened it closes it.
 */
export class RunLedger implements AsyncDisposable {
  readonly #where: Where;
  readonly #outbox: Outbox;
  readonly #closed = new AbortController();
  #opened: Promise<Ledger> | undefined;
  #empty: Promise<Ledger> | undefined;
  #delivering: Promise<unknown> | undefined;
  #closing: Promise<void> | undefined;
  #upToDateAt = 0;
  /** How it is called in a message. */
  #name: string;

  private constructor(where: Where) {
    this.#where = where;
    this.#outbox = openOutbox(where.place, where.env);
    this.#name = where.place.kind === 'sqlite' ? where.place.path : 'in PostgreSQL';
  }

  static async open(where: Where): Promise<RunLedger> {
    const opened = new RunLedger(where);
    await opened.#ask(async () => {});
    return opened;
  }

  /** The run that a word means. */
  find(word: string): Promise<RunRecord> {
    return this.#ask(async ({ store }) => new Families(store).complete(await named('find()', store, word)));
  }

  /** The newest first, a page at a time: `next` of one is `after` of the following. */
  list(filter: RunFilter = {}, page: ListOptions = {}): Promise<Page<RunSummary>> {
    return this.#ask(async ({ store }) => {
      checkGiven('list()', given.Paged, page);
      return new Families(store).page(await chosen('list()', store, filter), { limit: usualLimit, ...present(page) });
    });
  }

  /** Whole runs, the newest first, a few in memory at a time. */
  export(filter: RunFilter = {}): AsyncGenerator<RunRecord, void> {
    return this.#tell(async function* ({ store }) {
      yield* store.export(await chosen('export()', store, filter));
    });
  }

  /** The run and all below it, in the order in which a tree is read. */
  tree(word: string): Promise<TreeRow[]> {
    return this.#ask(async ({ store }) => {
      const run = await named('tree()', store, word);
      return [{ ...(await new Families(store).complete(summaryOf(run))), depth: 0 }, ...(await runsBelow(store, run))];
    });
  }

  /** What the run has said until now, above this sequence. */
  records(word: string, options: RecordsOptions = {}): AsyncGenerator<EventRecord, void> {
    return this.#tell((ledger) => {
      checkGiven('records()', given.Read, options);
      const { after = 0 } = options;
      return recordsOf(ledger, word, { after, stop: this.#closed.signal });
    });
  }

  /** The same, and what it says from now on, until it ends. */
  follow(word: string, options: FollowOptions = {}): AsyncGenerator<EventRecord, void> {
    return this.#tell((ledger) => {
      checkGiven('follow()', given.Listened, options);
      const { after = 0, signal } = options;
      const stop = this.#stop(signal);
      return recordsOf(ledger, word, { after, stop, follow: waiting(stop) });
    });
  }

  /** What it came to, as soon as it has ended. Throws `Failure` when the time is over before. */
  outcome(word: string, options: OutcomeOptions = {}): Promise<LedgerOutcome> {
    return this.#ask(async (ledger) => {
      checkGiven('outcome()', given.Awaited, options);
      const { timeoutMs, signal } = options;
      const { id } = await named('outcome()', ledger.store, word);
      const patience = waiting(this.#stop(signal));
      for await (const _state of waitFor([lookAt(ledger, id, patience)], { ...patience, timeoutMs })) continue;
      const { outcome } = await namedRun(ledger.store, id);
      if (outcome === undefined) throw new Failure('time_limit', `the run ${shortRunId(id)} has not ended in time`);
      return outcome;
    });
  }

  /** Its tool calls, and when each was. */
  timeline(word: string): Promise<Timeline> {
    return this.#ask(async (ledger) => readTimeline((await taped('timeline()', ledger, word)).tape));
  }

  /** What differs between two runs. */
  diff(a: string, b: string): Promise<RunDiff> {
    return this.#ask(async (ledger) => {
      const { compareRuns } = await import('./diff.ts');
      return compareRuns(await named('diff()', ledger.store, a), await named('diff()', ledger.store, b));
    });
  }

  /** Totals by `agent`, `model`, `day`, `label:KEY`, …, or by two of them: `user,week`. Days begin in `timeZone`, which may be `local`. */
  stats(by: string, filter: RunFilter = {}, options: StatsOptions = {}): Promise<Stats[]> {
    return this.#ask(async ({ store }) => {
      checkGiven('stats()', given.Grouped, { by, ...options });
      return statsBy(store, groupingsOf('by', by), await chosen('stats()', store, filter), options);
    });
  }

  /** What is damaged or gone: the database, every run, every tape from its first byte to its last. */
  verify(): AsyncGenerator<Finding, Verified> {
    return this.#tell(verifyLedger);
  }

  /** Runs from tapes, stored streams, session stores and exports: files, or folders of them. The ledger is made where there is none. */
  import(paths: string | readonly string[], options: LedgerImportOptions = {}): AsyncGenerator<Imported, void> {
    const { cwd, env } = this.#where;
    return this.#tell(async function* ({ store }) {
      checkGiven('import()', given.Brought, { paths, ...options });
      const { from, labels = {}, redact = true } = options;
      const { importRuns, runsAt } = await import('./import.ts');
      const { findReader } = await import('../dialects/registry.ts');
      async function* sources(): AsyncGenerator<StoredRun | Unreadable> {
        for (const path of [paths].flat()) yield* runsAt(resolve(cwd, path));
      }
      const dialect = from === undefined ? undefined : findReader(from);
      yield* importRuns(store, sources(), { dialect, redact: redact ? await redactors(env) : undefined, labels });
    }, 'make');
  }

  /** Ends what goes on, and lets go of the file or the server. */
  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    this.#closed.abort(new Failure('cancelled', 'the ledger was closed'));
    for (const opening of [this.#opened, this.#empty]) {
      const opened = await opening?.catch(() => undefined);
      await this.#delivering;
      await opened?.store.close();
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Comes when it is enough for who asked, or when the ledger is closed. */
  #stop(signal: AbortSignal | undefined): AbortSignal {
    return AbortSignal.any([this.#closed.signal, ...(signal === undefined ? [] : [signal])]);
  }

  #ask<Answer>(question: (ledger: Ledger) => Promise<Answer>): Promise<Answer> {
    return this.#attempt(async () => question(await this.#current()));
  }

  async *#tell<Value, End>(question: (ledger: Ledger) => AsyncGenerator<Value, End>, absent?: 'make'): AsyncGenerator<Value, End> {
    const told = await this.#attempt(async () => question(await this.#current(absent)));
    try {
      for (;;) {
        const next = await this.#attempt(() => told.next());
        if (next.done === true) return next.value;
        // What a reader throws in here is its own, and goes back to it as it is.
        yield next.value;
      }
    } finally {
      await this.#attempt(() => told.return(undefined as End));
    }
  }

  async #attempt<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    try {
      return await work();
    } catch (error) {
      throw this.#failure(error);
    }
  }

  /** What goes wrong because the ledger is closed meanwhile is no fault of its database. */
  #failure(error: unknown): Failure {
    if (error instanceof Failure) return error;
    const { aborted, reason } = this.#closed.signal;
    return aborted ? (reason as Failure) : ledgerFailure(this.#name, error);
  }

  /** The ledger as it is now: somebody may have written the first run, or been killed. */
  async #current(absent?: 'make'): Promise<Ledger> {
    const { place, env, tapes } = this.#where;
    this.#closed.signal.throwIfAborted();
    if (absent === undefined && !isWritten(place, this.#outbox)) return (this.#empty ??= emptyLedgerAt(place, env, tapes));
    const ledger = await (this.#opened ??= this.#open());
    if (Date.now() - this.#upToDateAt >= upToDateMs) {
      this.#upToDateAt = Date.now();
      await bringUpToDate(ledger, this.#outbox, this.#upToDateAt);
    }
    return ledger;
  }

  async #open(): Promise<Ledger> {
    const { place, env, tapes } = this.#where;
    try {
      const ledger = await openLedgerAt(place, env, tapes);
      this.#name = ledger.store.name;
      this.#delivering = deliverTapes(ledger, Date.now());
      return ledger;
    } catch (error) {
      this.#opened = undefined;
      throw error;
    }
  }
}

async function named(called: string, store: Ledger['store'], word: string): Promise<RunRecord> {
  checkGiven(called, given.Named, { run: word });
  return namedRun(store, word);
}

async function taped(called: string, ledger: Ledger, word: string): Promise<{ run: RunRecord; tape: Tape }> {
  const run = await named(called, ledger.store, word);
  const found = await tapeOf(ledger.tapes, run);
  if ('missing' in found) throw new Failure('input', found.missing);
  return { run, tape: found.tape };
}

/** Waits until there is something new, or until somebody says that it is enough. */
function waiting(stop: AbortSignal): Waiting {
  return {
    now: Date.now,
    async sleep(ms) {
      if (await pause(ms, stop)) return;
      throw stop.reason instanceof Failure ? stop.reason : new Failure('cancelled', 'nobody waits for the run any more');
    },
  };
}

/** Who follows a run may stop at any time; what was asked for as a whole is not cut short in silence. */
async function* recordsOf(
  ledger: Ledger,
  word: string,
  options: { after: number; stop: AbortSignal; follow?: Waiting },
): AsyncGenerator<EventRecord, void> {
  const { stop, follow } = options;
  try {
    stop.throwIfAborted();
    const { run, tape } = await taped(follow === undefined ? 'records()' : 'follow()', ledger, word);
    for await (const records of runRecords(ledger, run, tape, options)) {
      for (const record of records) {
        stop.throwIfAborted();
        yield record;
      }
    }
  } catch (error) {
    if (follow === undefined || !stop.aborted) throw error;
  }
}

async function chosen(called: string, store: Ledger['store'], filter: RunFilter): Promise<RunFilter> {
  checkGiven(called, given.Filter, filter);
  return withWholeIds(store, filter);
}

/** One for each run, as the command has them. */
async function redactors(env: Environment) {
  const { Redactor } = await import('../redact/redactor.ts');
  const { secretValues } = await import('../redact/secrets.ts');
  const { ownSecrets } = await import('../builtin/config/secrets.ts');
  const values = [...secretValues(env), ...ownSecrets(env)];
  return () => new Redactor({ values });
}
