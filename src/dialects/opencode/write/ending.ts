import type { ErrorCode, EventOf, EventRecord } from '../../../events/event.ts';
import type { RunOutcome } from '../../../outcome/outcome.ts';
import { codeOfLimit } from '../../../outcome/limits.ts';
import { Claims } from '../../kit/claims.ts';
import type { JsonObject } from '../../../json/json.ts';
import { isObject } from '../../../json/read.ts';
import { type Fault, readEnding, readFault } from '../../shared/opencode/read/ending.ts';
import { codesOfErrors } from '../../shared/opencode/words.ts';
import { finishWords } from '../words.ts';
import type { Lane } from './lane.ts';
import type { Session } from './session.ts';

type Finished = EventOf<'agent.finished'>;

/** What is still open at the end is closed only by us. */
const closings: ReadonlySet<EventRecord['type']> = new Set(['text.completed', 'reasoning.completed', 'turn.completed']);

/** Verdict classes that are error codes as well: the run was stopped from outside. */
const stops = ['cancelled', 'time_limit', 'turn_limit', 'cost_limit'] as const;

export function finishWord(event: EventOf<'turn.completed'>): string | undefined {
  return (event.finish_reason === undefined ? undefined : finishWords[event.finish_reason]) ?? event.raw_finish_reason;
}

/**
 * The errors of a run and its end. The wire has no word for success: a message that stopped, no error after it, and an
 * idle session read as one, so anything that contradicts it must be written as an error.
 */
export class Ending {
  readonly #session: Session;
  readonly #lane: Lane;
  /** The agent's claim, written when it is known that nothing follows it. */
  #claim: Finished | undefined;
  #fault: Fault | undefined;
  #isDenied = false;
  /** A limit that was reported is the reason for the end, whatever else ended with it. */
  #isLimited = false;
  readonly #claims = new Claims('opencode');

  constructor(session: Session, lane: Lane) {
    this.#session = session;
    this.#lane = lane;
  }

  startTurn(): void {
    this.#fault = undefined;
    this.#isDenied = false;
    this.#isLimited = false;
  }

  deny(): void {
    this.#isDenied = true;
  }

  see(event: EventRecord): void {
    this.#claims.see(event);
  }

  claim(event: Finished): void {
    this.#claim = event;
  }

  /** The run goes on after the claim, unless this only closes what was open. */
  before(event: EventRecord): void {
    if (event.type !== 'item.completed' && !(event.synthetic && closings.has(event.type))) this.#writeClaim();
  }

  raise(event: EventOf<'error'>): void {
    const data: JsonObject = { message: event.message };
    if (event.http_status !== undefined) data.statusCode = event.http_status;
    if (event.retryable !== undefined) data.isRetryable = event.retryable;
    const details = Object.keys(data).length > 1 ? { data } : {};
    this.#raise({ name: event.name ?? errorName(event.code), message: event.message, ...details });
  }

  limit(event: EventOf<'limit.reached'>): void {
    this.#isLimited = true;
    const message = event.message ?? `${event.limit.replace(/s$/, '')} limit reached`;
    this.#raise({ name: errorName(codeOfLimit[event.limit]), message });
  }

  write(outcome: RunOutcome): void {
    const { verdict } = outcome;
    const failed = verdict.class !== 'success';
    this.#claim = this.#claims.judged(this.#claim, outcome);
    if (this.#claim !== undefined) return this.#writeClaim();
    const claim = this.#claims.claimOf(outcome);
    // The claim was written before anything contradicted it.
    if (claim?.status === 'failed' && this.#fault === undefined) {
      this.#raise({ name: errorName(claim.code), message: claim.message ?? claim.status });
      return this.#session.idle();
    }
    const stopped = stops.find((code) => code === verdict.class);
    // Text after an error reads as if the run had recovered; and a process may have been stopped without a word.
    if (stopped !== undefined && (this.#fault === undefined || this.#lane.finish === 'stop'))
      this.#raise({ name: errorName(stopped), message: this.#fault?.message ?? 'the run was stopped' });
    // A finished message alone reads as a success, which this was not.
    else if (failed && this.#fault === undefined && this.#lane.finish === 'stop') this.#lane.finishMessage('other');
  }

  #writeClaim(): void {
    const claim = this.#claim;
    if (claim === undefined) return;
    this.#claim = undefined;
    const shown = readEnding(this.#lane.finish, this.#isDenied, this.#fault);
    if (claim.status === 'ok') {
      if (shown?.status !== 'ok' || this.#lane.isOpen) this.#lane.finishMessage('stop');
    } else if (!this.#isLimited && (this.#lane.finish === 'stop' || !isShown(claim, shown))) {
      // A message that stops after an error reads as if the run had recovered from it.
      const code = claim.status === 'cancelled' ? 'cancelled' : claim.code;
      this.#raise({ name: errorName(code), message: claim.message ?? claim.status });
    }
    this.#session.idle();
  }

  #raise(error: JsonObject): void {
    this.#fault = readFault(error);
    this.#lane.fail({
      name: error.name ?? 'UnknownError',
      data: isObject(error.data) ? error.data : { message: error.message ?? '' },
    });
    this.#session.write('session.error', { sessionID: this.#session.id, error });
  }
}

function isShown({ status, code, message }: Finished, shown: ReturnType<typeof readEnding>): boolean {
  return shown?.status === status && shown.code === code && shown.message === message;
}

const names = new Map(
  Object.entries(codesOfErrors)
    .filter(([name]) => name.endsWith('Error'))
    .map(([name, code]) => [code, name]),
);

function errorName(code: ErrorCode | undefined): string {
  return (code === undefined ? undefined : names.get(code)) ?? 'UnknownError';
}
