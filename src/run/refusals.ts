import type { RunSpec } from '../contract/spec.ts';
import { patient } from '../processes/patience.ts';
import { RequestPace } from './request-pace.ts';
import { type NextRequest, Reservations, type Used } from './reservations.ts';
import type { Cause, Stop } from './stop.ts';

/** How long an agent whose request was refused may take to end by itself, with its last words. */
const lastWordsMs = patient(1500);
/** How long it may take after that: it knew before that it would have to end. */
const refusedGraceMs = patient(2500);
/** More than an agent and its sub-agents ask at the same time: one that asks as often does not heed the refusal. */
const mostRefusals = 10;

interface Parts extends Omit<ConstructorParameters<typeof Reservations>[0], 'signal'> {
  stop: Pick<Stop, 'signal' | 'cause'>;
  /** The run is to end: of what was refused, which its agent has been told already. */
  onFirst(cause: Cause): void;
  /** It has not ended by itself. */
  end(cause: Cause, grace: number): void;
  pace: RunSpec['limits']['max_requests_per_minute'];
}

/** Which requests of an agent go out to its models, and what follows when one may not. */
export class Refusals {
  readonly #parts: Parts;
  readonly #reservations: Reservations;
  readonly #pace: RequestPace | undefined;
  /** Aborted when no more of them go out. */
  readonly #noMore = new AbortController();
  #count = 0;
  #lastWords: NodeJS.Timeout | undefined;
  /** Why the first one was refused; the agent is about to be stopped. */
  cause: Cause | undefined;

  constructor(parts: Parts) {
    const { stop, pace } = parts;
    this.#parts = parts;
    this.#reservations = new Reservations({ ...parts, signal: this.#noMore.signal });
    this.#pace = pace === undefined ? undefined : new RequestPace(pace);
    stop.signal.addEventListener('abort', () => this.#noMore.abort(), { once: true });
  }

  /** Why a request may not go out; `gone`: nobody waits for its answer any longer. */
  async reserve(request: NextRequest, gone: AbortSignal): Promise<Cause | undefined> {
    const cause = this.cause ?? (await this.#reservations.reserve(request, gone));
    const waited = cause === undefined && (await this.#pace?.turn(AbortSignal.any([gone, this.#noMore.signal])));
    return cause === undefined && waited !== true ? undefined : (this.#parts.stop.cause ?? this.cause ?? cause);
  }

  settle(number: number, used: Used): void {
    this.#reservations.settle(number, used);
  }

  /** It has been told no in its provider's words, and most agents end then; what it reports of that is not the reason. */
  refuse(cause: Cause): void {
    const { stop, end, onFirst } = this.#parts;
    if (stop.cause !== undefined) return;
    this.#count += 1;
    if (this.#count > mostRefusals) end(this.cause ?? cause, refusedGraceMs);
    if (this.cause !== undefined) return;
    this.cause = cause;
    this.#noMore.abort();
    onFirst(cause);
    this.#lastWords = setTimeout(() => end(cause, refusedGraceMs), lastWordsMs);
  }

  /** The agent has ended. */
  attemptOver(): void {
    clearTimeout(this.#lastWords);
  }
}
