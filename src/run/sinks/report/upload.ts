import { fieldOf } from '../../../json/field-of.ts';
import { pause } from '../../../time/pause.ts';
import type { ReportMeta, Spool } from './spool.ts';

const firstRetryMs = 250;
const lastRetryMs = 10_000;
const answerMs = 30_000;

export interface Target {
  /** The address of the server. */
  url: string;
  token: string | undefined;
}

/** The server will not take this report, however often it is sent. */
export class Refused extends Error {}

/** Sends the contents of a spool, in order, retrying as often as it takes. */
export class Upload {
  readonly #spool: Spool;
  readonly #target: Target;
  readonly #meta: () => ReportMeta;
  readonly #start: number;
  #at: number;
  /** The last sequence that the server has. */
  #after = 0;
  #retryMs = firstRetryMs;

  constructor(spool: Spool, start: number, target: Target, meta: () => ReportMeta) {
    this.#spool = spool;
    this.#start = this.#at = start;
    this.#target = target;
    this.#meta = meta;
  }

  /** Sends everything there is; rejects when aborted, or with `Refused`. */
  async drain(signal: AbortSignal): Promise<void> {
    for (;;) {
      const part = await this.#spool.part(this.#at, this.#after);
      if (part === undefined) return;
      signal.throwIfAborted();
      const answer = part.lines === '' ? { accepted: part.last ?? this.#after } : await this.#send(part.lines, signal);
      if ('accepted' in answer) {
        this.#at = part.next;
        this.#after = Math.max(this.#after, part.last ?? 0);
        this.#retryMs = firstRetryMs;
      } else if ('from' in answer) {
        // The server lost records, or has more than it confirmed: start over, without what it has.
        this.#at = this.#start;
        this.#after = answer.from;
      } else {
        await pause(this.#retryMs, signal);
        this.#retryMs = Math.min(this.#retryMs * 2, lastRetryMs);
      }
    }
  }

  /** Sends no records; whether it arrives does not matter. */
  async signOfLife(signal: AbortSignal): Promise<void> {
    await this.#send('', signal).catch(() => {});
  }

  async #send(lines: string, signal: AbortSignal): Promise<{ accepted: number } | { from: number } | { away: true }> {
    const head = JSON.stringify({ meta: this.#meta(), after: this.#after });
    let response: Response;
    let body: unknown;
    try {
      response = await fetch(new URL(`/api/report/${this.#spool.id}`, this.#target.url), {
        method: 'POST',
        headers: {
          'Content-Type': 'application/x-ndjson',
          'X-Runwire': '1',
          ...(this.#target.token === undefined ? {} : { Authorization: `Bearer ${this.#target.token}` }),
        },
        body: `${head}\n${lines}`,
        redirect: 'error',
        signal: AbortSignal.any([signal, AbortSignal.timeout(answerMs)]),
      });
      body = await response.json();
    } catch {
      signal.throwIfAborted();
      return { away: true };
    }
    const accepted = fieldOf(body, 'accepted_to');
    if (response.ok && typeof accepted === 'number') return { accepted };
    if (response.status === 409 && typeof accepted === 'number') return { from: accepted };
    if (response.status >= 500 || response.status === 429 || response.status === 408) return { away: true };
    throw new Refused(String(fieldOf(fieldOf(body, 'error'), 'message') ?? `it answered ${response.status}`));
  }
}
