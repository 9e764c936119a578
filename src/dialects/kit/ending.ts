import type { ErrorCode, EventOf } from '../../events/event.ts';
import { codeOfMessage } from '../../outcome/faults.ts';
import type { DecoderSink } from '../dialect.ts';

/** Why a run failed; a message is not always there. */
export interface Fault {
  readonly code: ErrorCode;
  readonly message?: string;
}

type Ended = Partial<Pick<EventOf<'agent.finished'>, 'raw_status' | 'duration_ms' | 'turns'>>;
type Detail = Partial<Pick<EventOf<'error'>, 'name' | 'http_status' | 'stack'>>;

export function faultOf(message: string, code: ErrorCode = codeOfMessage(message)): Required<Fault> {
  return { code, message };
}

/** The agent's last word, which it has once; without a fault it is a good one. */
export function finish(sink: DecoderSink, fault: Fault | undefined, more: Ended): void {
  if (fault === undefined) return sink.emit({ type: 'agent.finished', status: 'ok', ...more });
  const { code, ...message } = fault;
  if (code === 'cancelled') return sink.emit({ type: 'agent.finished', status: code, ...message, ...more });
  sink.emit({ type: 'agent.finished', status: 'failed', ...fault, ...more });
}

/** For an agent whose last line comes after a failure too: it counts only if no error came after which the agent did nothing. */
export class Ending {
  readonly #sink: DecoderSink;
  readonly #scope: string;
  #fault: Required<Fault> | undefined;

  /** `scope`: of its errors. */
  constructor(sink: DecoderSink, scope: string) {
    this.#sink = sink;
    this.#scope = scope;
  }

  get hasFailed(): boolean {
    return this.#fault !== undefined;
  }

  fail(fault: Required<Fault>, more: Detail = {}): void {
    this.#fault = fault;
    this.#sink.emit({ type: 'error', scope: this.#scope, ...fault, fatal: true, ...more });
  }

  /** The agent goes on, so no error was the last word. */
  recover(): void {
    this.#fault = undefined;
  }

  /** The last line, and the fault that it speaks of. */
  read(fault: Fault | undefined, more: Ended): void {
    const last = this.#fault ?? fault;
    if (last === undefined) this.#sink.emit({ type: 'agent.finished', status: 'ok', ...more });
    else this.#sink.emit({ type: 'agent.finished', status: 'failed', ...last, ...more });
  }
}

/** Something that was refused without a question, or of whose question nothing is known. */
export function deny(sink: DecoderSink, permission_id: string, what: string): void {
  sink.emit({ type: 'permission.requested', permission_id, what });
  sink.emit({ type: 'permission.resolved', permission_id, decision: 'denied', by: 'rule' });
}
