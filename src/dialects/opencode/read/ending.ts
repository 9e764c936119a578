import { present } from '../../../json/present.ts';
import type { DecoderSink } from '../../dialect.ts';
import { codeOfMessage } from '../../../outcome/faults.ts';
import { type Fault, readEnding } from '../../shared/opencode/read/ending.ts';
import { tellTime } from '../../kit/time.ts';
import type { Lane } from './lane.ts';

/** The errors and retries of a run, and the claim it makes whenever its session becomes idle. */
export class Ending {
  readonly #sink: DecoderSink;
  /** The error from which the run has not recovered. */
  #fault: Fault | undefined;
  #lastFault = '';
  /** Why it is being retried now. */
  #retrying: string | undefined;
  #lastAttempt: number | undefined;
  /** Something happened since the last time the session was idle. */
  #isActive = false;
  #wasIdle = false;

  constructor(sink: DecoderSink) {
    this.#sink = sink;
  }

  startTurn(): void {
    this.#isActive = true;
    this.#fault = undefined;
    this.#retrying = undefined;
  }

  /** A message ended well after an error: the run went on. */
  recover(): void {
    this.#fault = undefined;
  }

  stopRetrying(): void {
    this.#retrying = undefined;
  }

  raise(lane: Lane, error: Fault): void {
    if (lane.isMain) {
      this.#fault = error;
      this.#retrying = undefined;
      // The session and its message both report the same error.
      const key = `${error.name} ${error.message}`;
      if (key === this.#lastFault) return;
      this.#lastFault = key;
      this.#isActive = true;
    }
    this.#sink.emit({ type: 'error', scope: lane.isMain ? 'session' : 'sub-agent', fatal: lane.isMain, ...error });
  }

  retry(attempt: number | undefined, cause: string): void {
    // A retry is reported as a status and, in some versions, as a part too.
    if (this.#retrying === cause && attempt !== undefined && attempt === this.#lastAttempt) return;
    this.#retrying = cause;
    this.#lastAttempt = attempt;
    this.#sink.emit({ type: 'retry.scheduled', code: codeOfMessage(cause), cause, ...present({ attempt }) });
  }

  /** The run's session has nothing left to do. */
  idle(main: Lane): void {
    if (!this.#isActive) return;
    this.#isActive = false;
    this.#retrying = undefined;
    tellTime(this.#sink, main.completedAt);
    const claim = readEnding(main.finish, main.denied, this.#fault);
    if (claim !== undefined) this.#sink.emit({ type: 'agent.finished', ...claim });
    this.#wasIdle = true;
  }

  get isIdle(): boolean {
    return this.#wasIdle && !this.#isActive;
  }

  /** Nothing more comes, so what it was retrying has failed. */
  endRetries(main: Lane): void {
    const cause = this.#retrying;
    if (cause !== undefined)
      this.raise(main, { name: 'APIError', message: cause, code: codeOfMessage(cause), retryable: true });
  }

  /** The last message itself says that it is the last, or an error came after the session had been idle. */
  end(main: Lane): void {
    if (!this.#isActive) return;
    if (this.#fault !== undefined && this.#wasIdle) this.idle(main);
    else if (this.#fault === undefined && !main.open && main.finish === 'stop')
      this.#sink.emit({ type: 'agent.finished', status: 'ok' });
  }
}
