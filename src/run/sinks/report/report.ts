import { hostname } from 'node:os';
import type { EventRecord } from '../../../events/event.ts';
import { messageOf } from '../../../failure.ts';
import type { RunOutcome } from '../../../outcome/outcome.ts';
import { ledgerOutcome } from '../../../stores/ledger-outcome.ts';
import { isGone, thisProcess } from '../../../processes/owner.ts';
import { recordJson } from '../../../events/record-json.ts';
import { givenOf } from '../given.ts';
import type { EndedAttempt, RunFacts, Sink } from '../sink.ts';
import { type ReportMeta, Spool, spoolsLeft } from './spool.ts';
import { Refused, type Target, Upload } from './upload.ts';

/** Where to report to, and with which token. */
export type ReportRequest = Target;

export interface ReportOptions extends RunFacts {
  target: ReportRequest;
  /** Removes secrets from data that is not part of the records. */
  clean: <Value>(value: Value) => Value;
  /** Lowered by tests. */
  patienceMs?: number;
}

/** How long records are collected before they are sent. */
const collectMs = 100;
/** How often to send a heartbeat while the agent is silent: the server treats a run that stays silent for long as lost. */
const lifeMs = 60_000;
/** A server that does not answer must not hold back the exit code. */
const defaultPatienceMs = 5000;
/** The most characters that may wait to be written: when the disk is that slow, the report ends and the run goes on. */
const mostWaiting = 64 * 1024 * 1024;

/** Reports one run to a server. It never throws and never makes the run wait: what cannot be sent stays on disk for the next run. */
export class ReportSink implements Sink {
  readonly #options: ReportOptions;
  readonly #meta: ReportMeta;
  readonly #called = new AbortController();
  readonly #attempts: EndedAttempt[] = [];
  readonly writesRecords = true;
  #spool: Spool | undefined;
  #upload: Upload | undefined;
  #waiting: string[] = [];
  #characters = 0;
  /** The number of writes so far. */
  #writes = 0;
  #isOver = false;
  #working: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  readonly #life: NodeJS.Timeout;
  #keep = (): void => {};

  constructor(options: ReportOptions) {
    const { startedAt, clean } = options;
    this.#options = options;
    this.#meta = {
      started_at: startedAt,
      prompt: '',
      host: hostname(),
      pid: process.pid,
      ...givenOf(options, clean),
    };
    this.#life = setInterval(() => {
      if (this.#working === undefined && !this.#isOver) void this.#upload?.signOfLife(this.#called.signal);
    }, lifeMs);
    this.#life.unref();
  }

  record(record: EventRecord): void {
    if (record.type === 'thread.started' && record.task !== undefined && this.#meta.prompt === '')
      this.#meta.prompt = record.task;
    if (record.type === 'prompt.submitted' && this.#meta.prompt === '') this.#meta.prompt = record.text;
    const line = recordJson(record);
    if (line !== undefined) this.#add(line);
  }

  showAfter(keep: () => void): void {
    this.#keep = keep;
  }

  attempt(attempt: EndedAttempt): void {
    this.#attempts.push(attempt);
  }

  end(outcome: RunOutcome): void {
    this.#add(
      JSON.stringify({ outcome: ledgerOutcome(outcome), ended_at: this.#options.clock(), attempts: this.#attempts }),
    );
  }

  /** Settles when everything is sent, or after some seconds; what is left then stays on disk. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    clearInterval(this.#life);
    const timer = setTimeout(
      () => this.#called.abort(new Error('it did not answer in time')),
      this.#options.patienceMs ?? defaultPatienceMs,
    );
    await this.#working;
    await this.#work();
    clearTimeout(timer);
    if (this.#isOver) return;
    this.#isOver = true;
    if (this.#called.signal.aborted) return this.#giveUp(messageOf(this.#called.signal.reason));
    await this.#spool?.remove();
    await this.#sendLeft();
  }

  #add(line: string): void {
    if (this.#isOver) return;
    this.#waiting.push(`${line}\n`);
    this.#characters += line.length;
    if (this.#characters > mostWaiting) return this.#giveUp('it is slower than the run');
    if (this.#timer !== undefined || this.#working !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#working = this.#work().finally(() => {
        this.#working = undefined;
      });
    }, collectMs);
    this.#timer.unref();
  }

  /** Every record is written to disk first, then sent. */
  async #work(): Promise<void> {
    if (this.#spool === undefined && this.#waiting.length === 0) return;
    try {
      // A drain reads what was on disk when it began to end; more may have come while it waited for the server.
      for (let written = -1; (this.#waiting.length > 0 || written !== this.#writes) && !this.#isOver;) {
        const upload = await this.#write();
        written = this.#writes;
        await this.#whileWriting(upload.drain(this.#called.signal));
      }
    } catch (error) {
      if (!this.#called.signal.aborted)
        this.#giveUp(error instanceof Refused ? error.message : `unexpected: ${messageOf(error)}`);
      // Nothing more is sent, but everything is kept.
      await this.#write().catch(() => {});
    }
  }

  /** Records must not pile up in memory while the server is unreachable: they are written to disk while we wait for it. */
  async #whileWriting(sending: Promise<void>): Promise<void> {
    let isSent = false;
    const sent = sending.finally(() => (isSent = true));
    while (!isSent) {
      await Promise.race([sent, new Promise((resolve) => void setTimeout(resolve, collectMs))]);
      if (!isSent && this.#waiting.length > 0) await this.#write();
    }
    await sent;
  }

  async #write(): Promise<Upload> {
    this.#keep();
    const lines = this.#waiting.join('');
    this.#waiting = [];
    this.#characters = 0;
    const { env, id, target } = this.#options;
    if (this.#spool === undefined || this.#upload === undefined) {
      this.#spool = await Spool.create(env, id, { url: target.url, owner: thisProcess(), meta: this.#meta });
      const start = (await this.#spool.head())?.start ?? 0;
      this.#upload = new Upload(this.#spool, start, target, () => this.#meta);
    }
    if (lines !== '') await this.#spool.append(lines);
    this.#writes += lines === '' ? 0 : 1;
    return this.#upload;
  }

  #giveUp(why: string): void {
    this.#isOver = true;
    const { warn, target } = this.#options;
    const kept = this.#spool === undefined ? '' : `; it is kept, and the next "runwire run --report" sends it`;
    warn(`this run was not fully reported to ${target.url}: ${why}${kept}`);
  }

  /** Sends what earlier runs could not, as far as there is time. */
  async #sendLeft(): Promise<void> {
    const { env, target, clock, patienceMs = defaultPatienceMs } = this.#options;
    const signal = AbortSignal.timeout(patienceMs);
    try {
      for (const spool of await spoolsLeft(env)) {
        const found = await spool.head();
        if (found === undefined || found.head.url !== target.url) continue;
        if (!isGone({ owner: found.head.owner, heartbeat_at: 0 }, clock())) continue;
        try {
          await new Upload(spool, found.start, target, () => found.head.meta).drain(signal);
        } catch (error) {
          // Perhaps another token may send it; what is behind it must not wait for that.
          if (error instanceof Refused) continue;
          throw error;
        }
        await spool.remove();
      }
    } catch {
      // The next run tries again.
    }
  }
}
