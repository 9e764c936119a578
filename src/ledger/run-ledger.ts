/// <reference lib="esnext.disposable" preserve="true" />
import { resolve } from 'node:path';
import type { EventRecord } from '../events/event.ts';
import { Failure } from '../failure.ts';
import { pause } from '../time/pause.ts';
import { present } from '../json/present.ts';
import { NoLedgerYet } from '../stores/no-ledger-yet.ts';
import { openOutbox, type Outbox } from '../stores/outbox.ts';
import { shortRunId } from '../ids/run-id.ts';
import type { LedgerOutcome, Page, RunFilter, RunRecord, RunSummary, StatsOptions } from '../stores/run-store.ts';
import type { Tape } from '../tapes/tape.ts';
import type { TapesPlace } from '../tapes/tapes-place.ts';
import type { Environment } from '../words/vocabulary.ts';
import { checkGiven } from './check-given.ts';
import type { RunDiff } from './diff.ts';
import { ChildSums } from './child-sums.ts';
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
/** How long the result of a search for interrupted runs stays valid. */
const upToDateMs = 5000;

/**
 * The ledger for library users: queries about runs of any process, by full id, the beginning of a short one, or `last`.
 * Every error thrown is a `Failure`. The caller that opened it closes it.
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
  /** Its name in messages. */
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
    return this.#ask(async ({ store }) => new ChildSums(store).complete(await named('find()', store, word)));
  }

  /** Newest first, one page at a time: `next` of one page is `after` of the following. */
  list(filter: RunFilter = {}, page: ListOptions = {}): Promise<Page<RunSummary>> {
    return this.#ask(async ({ store }) => {
      checkGiven('list()', given.Paged, page);
      return new ChildSums(store).page(await chosen('list()', store, filter), { limit: usualLimit, ...present(page) });
    });
  }

  /** Complete runs, newest first, a few in memory at a time. */
  export(filter: RunFilter = {}): AsyncGenerator<RunRecord, void> {
    return this.#tell(async function* ({ store }) {
      yield* store.export(await chosen('export()', store, filter));
    });
  }

  /** The run and all runs below it, in tree order. */
  tree(word: string): Promise<TreeRow[]> {
    return this.#ask(async ({ store }) => {
      const run = await named('tree()', store, word);
      return [{ ...(await new ChildSums(store).complete(summaryOf(run))), depth: 0 }, ...(await runsBelow(store, run))];
    });
  }

  /** The records of the run so far, above a sequence if one is given. */
  records(word: string, options: RecordsOptions = {}): AsyncGenerator<EventRecord, void> {
    return this.#tell((ledger) => {
      checkGiven('records()', given.Read, options);
      const { after = 0 } = options;
      return recordsOf(ledger, word, { after, stop: this.#closed.signal });
    });
  }

  /** The same, then new records until the run ends. */
  follow(word: string, options: FollowOptions = {}): AsyncGenerator<EventRecord, void> {
    return this.#tell((ledger) => {
      checkGiven('follow()', given.Listened, options);
      const { after = 0, signal } = options;
      const stop = this.#stop(signal);
      return recordsOf(ledger, word, { after, stop, follow: waiting(stop) });
    });
  }

  /** The outcome, as soon as the run has ended. Throws `Failure` if the timeout passes first. */
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

  /** Its tool calls and their times. */
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

  /** Finds what is damaged or missing: in the database, in every run, and in every tape from its first byte to its last. */
  verify(): AsyncGenerator<Finding, Verified> {
    return this.#tell(verifyLedger);
  }

  /** Runs from tapes, stored streams, session stores and exports: files, or folders of them. The ledger is created if there is none. */
  import(paths: string | readonly string[], options: LedgerImportOptions = {}): AsyncGenerator<Imported, void> {
    const { cwd, env } = this.#where;
    return this.#tell(async function* ({ store, tapes }) {
      checkGiven('import()', given.Brought, { paths, ...options });
      const { from, labels = {}, redact = true, tape = true } = options;
      const { importRuns, runsAt } = await import('./import.ts');
      const { findReader } = await import('../dialects/registry.ts');
      const sources = runsAt([paths].flat().map((path) => resolve(cwd, path)));
      const dialect = from === undefined ? undefined : findReader(from);
      yield* importRuns(store, sources, {
        dialect,
        tapes: tape ? tapes : undefined,
        redact: redact ? await redactors(env) : undefined,
        labels,
      });
    }, 'make');
  }

  /** Ends whatever is under way, and releases the file or the server. */
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

  /** Aborted when the caller's signal is, or when the ledger is closed. */
  #stop(signal: AbortSignal | undefined): AbortSignal {
    return AbortSignal.any([this.#closed.signal, ...(signal === undefined ? [] : [signal])]);
  }

  #ask<Answer>(question: (ledger: Ledger) => Promise<Answer>): Promise<Answer> {
    return this.#attempt(async () => question(await this.#current()));
  }

  async *#tell<Value, End>(
    question: (ledger: Ledger) => AsyncGenerator<Value, End>,
    absent?: 'make',
  ): AsyncGenerator<Value, End> {
    const answers = await this.#attempt(async () => question(await this.#current(absent)));
    try {
      for (;;) {
        const next = await this.#attempt(() => answers.next());
        if (next.done === true) return next.value;
        // An error thrown in by the consumer goes back to it unchanged.
        yield next.value;
      }
    } finally {
      await this.#attempt(() => answers.return(undefined as End));
    }
  }

  async #attempt<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    try {
      return await work();
    } catch (error) {
      throw this.#failure(error);
    }
  }

  /** An error because the ledger was closed meanwhile is not a database failure. */
  #failure(error: unknown): Failure {
    if (error instanceof Failure) return error;
    const { aborted, reason } = this.#closed.signal;
    return aborted ? (reason as Failure) : ledgerFailure(this.#name, error);
  }

  /** The ledger in its current state: another process may have written the first run, or been killed. */
  async #current(absent?: 'make'): Promise<Ledger> {
    const { place, env, tapes } = this.#where;
    this.#closed.signal.throwIfAborted();
    if (absent === undefined && !isWritten(place, this.#outbox))
      return (this.#empty ??= emptyLedgerAt(place, env, tapes));
    const mayCreate = absent === 'make' || !this.#outbox.isEmpty;
    const ledger = await (this.#opened ??= this.#open(mayCreate)).catch((error: unknown) => {
      if (!mayCreate && error instanceof NoLedgerYet) return undefined;
      throw error;
    });
    if (ledger === undefined) return (this.#empty ??= emptyLedgerAt(place, env, tapes));
    if (Date.now() - this.#upToDateAt >= upToDateMs) {
      this.#upToDateAt = Date.now();
      await bringUpToDate(ledger, this.#outbox, this.#upToDateAt);
    }
    return ledger;
  }

  async #open(mayCreate: boolean): Promise<Ledger> {
    const { place, env, tapes } = this.#where;
    try {
      const ledger = await openLedgerAt(place, env, tapes, { mayCreate });
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

/** Waits until there is something new, or until it is stopped. */
function waiting(stop: AbortSignal): Waiting {
  return {
    now: Date.now,
    async sleep(ms) {
      if (await pause(ms, stop)) return;
      throw stop.reason instanceof Failure
        ? stop.reason
        : new Failure('cancelled', 'nobody waits for the run any more');
    },
  };
}

/** Following a run may stop at any time; a complete read is never cut short silently. */
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
      for (const { record } of records) {
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

/** A separate one for each run, as in the command. */
async function redactors(env: Environment) {
  const { Redactor } = await import('../redact/redactor.ts');
  const { secretValues } = await import('../redact/secrets.ts');
  const { ownSecrets } = await import('../builtin/config/secrets.ts');
  const values = [...secretValues(env), ...ownSecrets(env)];
  return () => new Redactor({ values });
}
