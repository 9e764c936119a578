import type { EventRecord } from '../../events/event.ts';
import type { RunOutcome } from '../../outcome/outcome.ts';
import { thisProcess } from '../../stores/owner.ts';
import { newRunId } from '../../stores/run-id.ts';
import type { Attempt, Ending, Labels, Progress, RunStore } from '../../stores/run-store.ts';
import type { Tapes, TapeWriter } from '../../stores/tape.ts';

/** The part of a store that one run needs. */
export type RunWriter = Pick<RunStore, 'begin' | 'note' | 'finish' | 'close'>;

export interface LedgerSinkOptions {
  /** Asked again after a failure: a server may come back. */
  open: () => Promise<RunWriter>;
  clock: () => number;
  /** Called once at most. */
  warn: (message: string) => void;
  labels?: Labels;
  agent?: string;
  model?: string;
  cwd?: string;
  /** Unset: no tape. */
  tapes?: Tapes;
  /** Tests lower them. */
  heartbeatMs?: number;
  progressMs?: number;
}

const firstRetryMs = 1000;
const lastRetryMs = 15_000;

/** Tells the ledger about one run. It never throws and never waits: storage that fails costs a warning, not the run. */
export class LedgerSink {
  readonly id: string;
  readonly #options: LedgerSinkOptions;
  readonly #startedAt: number;
  readonly #tape: TapeWriter | undefined;
  readonly #tapeKey: string | undefined;
  readonly #attempts: Attempt[] = [];
  #store: RunWriter | undefined;
  #prompt: string | undefined;
  #begun = false;
  #news: Omit<Progress, 'at'> = {};
  #lastSequence = 0;
  #ending: Ending | undefined;
  #recorded = false;
  #warned = false;
  #working: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #due = 0;
  #notBefore = 0;
  #retryMs = firstRetryMs;
  #closing = false;

  constructor(options: LedgerSinkOptions) {
    this.#options = options;
    this.#startedAt = options.clock();
    this.id = newRunId(this.#startedAt);
    if (options.tapes === undefined) return;
    const { key, tape } = options.tapes.create(this.id, this.#startedAt);
    this.#tapeKey = key;
    try {
      this.#tape = tape.write({ onTrouble: (message) => this.#warn(message) });
    } catch (error) {
      this.#warn(error instanceof Error ? error.message : String(error));
    }
  }

  record(record: EventRecord): void {
    this.#tape?.record(record);
    this.#news.last_sequence = this.#lastSequence = record.sequence;
    if (record.type === 'thread.started') {
      if (record.session_id !== undefined) this.#news.session_id = record.session_id;
      if (record.agent !== undefined) this.#news.agent = record.agent;
      if (record.agent_version !== undefined) this.#news.agent_version = record.agent_version;
      this.#prompt ??= record.task;
    }
    if (record.type === 'prompt.submitted') this.#prompt ??= record.text;
    if ('model' in record && record.model !== undefined) this.#news.model = record.model;
    this.#schedule(this.#begun ? this.#progressMs : 0);
  }

  /** Whether the ledger has the end of the run. */
  get isRecorded(): boolean {
    return this.#recorded;
  }

  /** A try that was not the last. */
  attempt(attempt: Attempt): void {
    this.#attempts.push(attempt);
  }

  end(outcome: RunOutcome): void {
    this.#ending = { outcome, ended_at: this.#options.clock(), attempts: this.#attempts, last_sequence: this.#lastSequence };
  }

  /** Resolves when the run is recorded, or cannot be, or after the given time; nothing is told afterwards. */
  async closed(timeoutMs: number): Promise<void> {
    this.#closing = true;
    clearTimeout(this.#timer);
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(late.resolve, timeoutMs);
    await Promise.race([this.#finish(), late.promise]);
    clearTimeout(timer);
    if (this.#ending !== undefined && !this.#recorded) this.#warn(`it did not answer within ${timeoutMs} ms`);
    this.#warned = true;
  }

  async #finish(): Promise<void> {
    await Promise.all([this.#tape?.end(), this.#working]);
    await this.#work();
    await this.#store?.close().catch(() => {});
  }

  get #progressMs(): number {
    return this.#options.progressMs ?? 1000;
  }

  /** One piece of work at a time; what becomes known meanwhile is told with the next. */
  #schedule(delayMs: number): void {
    if (this.#working !== undefined || this.#closing) return;
    const due = Math.max(performance.now() + delayMs, this.#notBefore);
    if (this.#timer !== undefined && this.#due <= due) return;
    clearTimeout(this.#timer);
    this.#due = due;
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        this.#working = this.#work().finally(() => {
          this.#working = undefined;
          this.#schedule(Object.keys(this.#news).length > 0 ? this.#progressMs : (this.#options.heartbeatMs ?? 5000));
        });
      },
      Math.max(0, due - performance.now()),
    );
    this.#timer.unref();
  }

  async #work(): Promise<void> {
    try {
      this.#store ??= await this.#options.open();
      await this.#tell(this.#store);
      this.#retryMs = firstRetryMs;
    } catch (error) {
      this.#warn(error instanceof Error ? error.message : String(error));
      this.#notBefore = performance.now() + this.#retryMs;
      this.#retryMs = Math.min(this.#retryMs * 2, lastRetryMs);
    }
  }

  async #tell(store: RunWriter): Promise<void> {
    if (!this.#begun) {
      const { labels = {}, agent, model, cwd } = this.#options;
      await store.begin({
        id: this.id,
        started_at: this.#startedAt,
        prompt: this.#prompt ?? '',
        labels,
        owner: thisProcess(),
        ...(agent === undefined ? {} : { agent }),
        ...(model === undefined ? {} : { model }),
        ...(cwd === undefined ? {} : { cwd }),
        ...(this.#tapeKey === undefined ? {} : { tape: this.#tapeKey }),
      });
      this.#begun = true;
    }
    if (this.#ending !== undefined) {
      await store.finish(this.id, this.#ending);
      this.#recorded = true;
      return;
    }
    const news = this.#news;
    this.#news = {};
    try {
      await store.note(this.id, { at: this.#options.clock(), ...news });
    } catch (error) {
      this.#news = { ...news, ...this.#news };
      throw error;
    }
  }

  #warn(message: string): void {
    if (this.#warned) return;
    this.#warned = true;
    this.#options.warn(`this run may be missing from the ledger: ${message}`);
  }
}
