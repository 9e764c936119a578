import type { EventRecord } from '../../events/event.ts';
import { messageOf } from '../../failure.ts';
import { contentLabel, RunContent } from '../../ledger/run-content.ts';
import { SeenCalls } from '../../ledger/seen-calls.ts';
import type { RunOutcome } from '../../outcome/outcome.ts';
import { present } from '../../json/present.ts';
import { ledgerOutcome } from '../../stores/ledger-outcome.ts';
import { type LedgerPlace, openStore } from '../../stores/open-store.ts';
import { openOutbox, type Outbox, type Stopped } from '../../stores/outbox.ts';
import { openTapes } from '../../stores/open-tapes.ts';
import { thisProcess } from '../../processes/owner.ts';
import type { Attempt, Ending, NewRun, Progress, RunStore } from '../../stores/run-store.ts';
import type { Tape, Tapes, TapeWriter } from '../../tapes/tape.ts';
import { type TapesPlace, tapesPlace } from '../../tapes/tapes-place.ts';
import { givenOf } from './given.ts';
import type { EndedAttempt, RunFacts, Sink } from './sink.ts';
import { UsageMeter } from './used-so-far.ts';
import { WritePace } from './write-pace.ts';

export interface LedgerRequest {
  place: Exclude<LedgerPlace, { kind: 'none' }>;
  /** Whether the whole run is kept, besides its entry in the ledger. */
  keepsTape: boolean;
  /** Where its tape goes; default: as set in the environment. */
  tapes?: TapesPlace | undefined;
  /** Attempts of the same run in other processes that were lost. */
  lost?: readonly Attempt[];
  /** How long the end of the run waits for the ledger; default: 5 s, about as long as anybody would wait for an exit code. */
  patienceMs?: number;
}

export interface LedgerSinkOptions extends LedgerRequest, RunFacts {
  /** Removes secrets from data that is not part of the records: labels, places, names. */
  clean?: <Value>(value: Value) => Value;
  /** Lowered by tests. */
  heartbeatMs?: number;
  progressMs?: number;
  /** Replaced by tests. Called again after a failure: a server may come back. */
  open?: () => Promise<RunWriter>;
}

/** The part of a store that one run needs. */
export type RunWriter = Pick<RunStore, 'begin' | 'note' | 'finish' | 'close'>;

const defaultProgressMs = 1000;
const defaultHeartbeatMs = 5000;
/** A ledger that does not answer must not hold back the exit code. */
const defaultPatienceMs = 5000;
/** Once the run is recorded, its tape may take a little longer to reach its store. */
const deliveryMs = 5000;

/** Records one run in the ledger. It never throws and never makes the run wait: failing storage costs a warning, not the run. */
export class LedgerSink implements Sink {
  readonly id: string;
  readonly writesRecords: boolean;
  /** Where the run can be followed while it is in progress. */
  readonly tape: Tape | undefined;
  readonly #options: LedgerSinkOptions;
  readonly #run: Omit<NewRun, 'prompt'>;
  readonly #tapes: Tapes;
  readonly #outbox: Outbox;
  readonly #tapeWriter: TapeWriter | undefined;
  readonly #attempts: Attempt[];
  readonly #content = new RunContent();
  readonly #calls = new SeenCalls();
  readonly #meter = new UsageMeter();
  #store: RunWriter | undefined;
  /** For the tape only, which is written more often. */
  #tapeStore: Promise<RunStore> | undefined;
  #prompt: string | undefined;
  #begun = false;
  #news: Omit<Progress, 'at'> = {};
  #lastSequence = 0;
  #ending: Ending | undefined;
  /** The tape is closed: its hash is recorded with the end of the run. */
  #isTaped = false;
  #recorded = false;
  #isAbandoned = false;
  #warned = false;
  /** Why the ledger did not take the latest news. It is only told if the run does not reach the ledger in the end: a busy one is no loss. */
  #trouble: string | undefined;
  /** Why there is no tape. It is told once the ledger has the run: one that cannot be written has mostly no room for a tape either. */
  #untaped: string | undefined;
  readonly #pace = new WritePace({
    write: () => this.#work(),
    pauseMs: () => (Object.keys(this.#news).length > 0 ? this.#progressMs : this.#heartbeatMs),
  });
  #closed: Promise<void> | undefined;

  constructor(options: LedgerSinkOptions) {
    const { id, startedAt, place, keepsTape, tapes, env, clean = (value) => value } = options;
    this.id = id;
    this.#options = options;
    this.#tapes = openTapes(place, env, {
      place: tapes ?? tapesPlace(undefined, env, place),
      chunks: async () => (await this.#openTapeStore()).chunks,
    });
    this.#outbox = openOutbox(place, env);
    const { lost = [] } = options;
    this.#attempts = [...lost];
    const made = keepsTape ? this.#tapes.create(id, startedAt, lost.length + 1) : undefined;
    this.tape = made?.tape;
    this.#tapeWriter = made === undefined ? undefined : this.#write(made.tape);
    this.writesRecords = this.#tapeWriter !== undefined;
    this.#run = {
      id,
      started_at: startedAt,
      owner: thisProcess(),
      ...givenOf(options, clean),
      ...present({ tape: made?.key }),
      ...(lost.length === 0 ? {} : { lost }),
    };
    this.#keepUntilRecorded();
  }

  record(record: EventRecord): void {
    this.#tapeWriter?.record(record);
    this.#content.see(record);
    this.#calls.see(record);
    this.#meter.see(record);
    this.#news.last_sequence = this.#lastSequence = record.sequence;
    this.#learn(record);
    this.#pace.schedule(this.#begun ? this.#progressMs : 0);
  }

  keep(): void {
    this.#tapeWriter?.keep?.();
  }

  #learn(record: EventRecord): void {
    switch (record.type) {
      case 'thread.started': {
        const { session_id, agent, agent_version, model } = record;
        Object.assign(this.#news, present({ session_id, agent, agent_version, model }));
        this.#prompt ??= record.task;
        return;
      }
      case 'turn.started':
      case 'usage.reported':
        if (record.model !== undefined) this.#news.model = record.model;
        return;
      case 'run.paused':
        if (record.until_ms !== undefined) this.#news.waits_until = Math.round(record.until_ms);
        return;
      case 'run.resumed':
        if (record.reason === 'limit') this.#news.waits_until = 0;
        return;
      case 'prompt.submitted':
        this.#prompt ??= record.text;
        return;
      default:
    }
  }

  attempt(attempt: EndedAttempt): void {
    this.#attempts.push({ ...attempt, number: attempt.number + (this.#options.lost?.length ?? 0) });
    this.#meter.nextAttempt();
  }

  async flush(): Promise<void> {
    await this.#pace.settle();
    await this.#work();
    this.#pace.schedule(this.#heartbeatMs);
  }

  end(outcome: RunOutcome): void {
    // A clock may go back while a run is running; its end does not come before its beginning.
    const ended_at = Math.max(this.#options.clock(), this.#options.startedAt);
    this.#ending = { outcome, ended_at, attempts: this.#attempts, last_sequence: this.#lastSequence };
    if (!this.#begun || this.#warned || this.#trouble !== undefined) this.#keepUntilRecorded();
  }

  /** Something blocks the process, which can only be killed: leaves a note from which the next command informs the ledger. */
  stopped(limit: Stopped['limit']): void {
    if (this.#ending !== undefined || this.#recorded || this.#isAbandoned) return;
    try {
      this.#outbox.put({
        run: { ...this.#run, prompt: this.#prompt ?? '' },
        stopped: { at: this.#options.clock(), limit },
      });
    } catch (error) {
      this.#warn(messageOf(error));
    }
  }

  abandon(): void {
    this.#isAbandoned = true;
    this.#outbox.remove(this.#run);
  }

  /** Settles when the run is recorded, or cannot be, or after some seconds; also completes work that other runs left undone. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    const settled = this.#pace.close();
    const patienceMs = this.#options.patienceMs ?? defaultPatienceMs;
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(late.resolve, patienceMs);
    await Promise.race([this.#finish(settled), late.promise]);
    clearTimeout(timer);
    if (this.#ending !== undefined && !this.#recorded) {
      this.#keepUntilRecorded();
      this.#warn(this.#trouble ?? `it did not answer within ${patienceMs} ms`, true);
    }
    this.#warned = true;
    if (this.#recorded) await this.#tidy().catch(() => {});
    await this.#tapeStore?.then((store) => store.close()).catch(() => {});
  }

  #openTapeStore(): Promise<RunStore> {
    if (this.#tapeStore !== undefined) return this.#tapeStore;
    const opened = openStore(this.#options.place);
    this.#tapeStore = opened;
    // A server that cannot be reached is asked again.
    opened.catch(() => void (this.#tapeStore = undefined));
    return opened;
  }

  async #finish(settled: Promise<void>): Promise<void> {
    const [sha256] = await Promise.all([this.#tapeWriter?.end(), settled]);
    this.#isTaped = true;
    if (this.#ending !== undefined && typeof sha256 === 'string')
      this.#ending = { ...this.#ending, tape_sha256: sha256 };
    await this.#work();
    await this.#store?.close().catch(() => {});
  }

  async #tidy(): Promise<void> {
    const { place, keepsTape, clock } = this.#options;
    const [{ absorbImports }, { deliver }, { closeInterrupted }, { tidy }] = await Promise.all([
      import('../../ledger/one-run.ts'),
      import('../../ledger/deliver.ts'),
      import('../../ledger/close-interrupted.ts'),
      import('../../ledger/tidy.ts'),
    ]);
    const left = (await this.#tapes.deliver(clock(), deliveryMs)).find(({ run }) => run === this.id);
    if (left !== undefined)
      this.#options.warn(
        `the tape of this run is still on this machine: ${left.why}; the next runwire command here delivers it`,
      );
    const store = await openStore(place);
    try {
      const content = this.#content.digest();
      if (content !== undefined) await store.addLabels(this.id, { [contentLabel]: content });
      await store.addRequests(this.id, this.#calls.hashes);
      await absorbImports(store, this.id);
      await deliver(store, this.#outbox, this.#tapes, clock());
      await (keepsTape ? tidy : closeInterrupted)(store, this.#tapes, clock());
    } finally {
      await store.close();
    }
  }

  #write(tape: Tape): TapeWriter | undefined {
    try {
      return tape.write({ onTrouble: this.#options.warn });
    } catch (error) {
      this.#untaped = messageOf(error);
      return undefined;
    }
  }

  get #progressMs(): number {
    return this.#options.progressMs ?? defaultProgressMs;
  }

  get #heartbeatMs(): number {
    return this.#options.heartbeatMs ?? defaultHeartbeatMs;
  }

  async #work(): Promise<void> {
    if (this.#isAbandoned) return;
    const { place, open = () => openStore(place) } = this.#options;
    try {
      this.#store ??= await open();
      await this.#tell(this.#store);
      this.#pace.succeeded();
      this.#trouble = undefined;
      if (this.#untaped !== undefined) this.#options.warn(this.#untaped);
      this.#untaped = undefined;
    } catch (error) {
      this.#trouble = messageOf(error);
      this.#pace.failed();
    }
  }

  async #tell(store: RunWriter): Promise<void> {
    if (!this.#begun) {
      await store.begin({ ...this.#run, prompt: this.#prompt ?? '' });
      this.#begun = true;
    }
    if (this.#ending !== undefined) {
      // A database role that may only add rows can record the end only once.
      if (!this.#isTaped || this.#recorded) return;
      await store.finish(this.id, this.#ending, this.#run.owner);
      this.#recorded = true;
      this.#outbox.remove(this.#run);
      return;
    }
    const news = { ...this.#news, ...this.#meter.take() };
    this.#news = {};
    // The ledger, too, never knows of a record that its tape could lose.
    this.keep();
    try {
      await store.note(this.id, { at: this.#options.clock(), ...news }, this.#run.owner);
    } catch (error) {
      this.#news = { ...news, ...this.#news };
      throw error;
    }
  }

  /** Until the ledger has it, the run is in the outbox: the next command delivers what this process could not. */
  #keepUntilRecorded(): void {
    const content = this.#ending === undefined ? undefined : this.#content.digest();
    try {
      this.#outbox.put({
        run: { ...this.#run, prompt: this.#prompt ?? '' },
        ...present({
          ending:
            this.#ending === undefined ? undefined : { ...this.#ending, outcome: ledgerOutcome(this.#ending.outcome) },
          labels: content === undefined ? undefined : { [contentLabel]: content },
        }),
      });
    } catch (error) {
      this.#warn(messageOf(error));
    }
  }

  /** `isKept`: it is in the outbox. */
  #warn(message: string, isKept = false): void {
    if (this.#warned) return;
    this.#warned = true;
    this.#options.warn(
      isKept
        ? `this run is not in the ledger yet: ${message}; the next command here that uses it tries again`
        : `this run may be missing from the ledger: ${message}`,
    );
  }
}
