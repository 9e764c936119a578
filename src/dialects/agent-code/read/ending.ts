import type { ErrorCode } from '../../../events/event.ts';
import { present } from '../../../json/present.ts';
import type { DecoderSink } from '../../dialect.ts';
import type { JsonObject } from '../../../json/json.ts';
import { codeOfMessage, isProviderFault } from '../../../outcome/faults.ts';
import { asText, integer } from '../../../json/read.ts';
import { codeOfExit } from '../words.ts';

const turnLimit = /Agent stopped after (\d{1,15}) turns/;
const budgetLimit = /budget exhausted/i;

/** How the run ended: `session_end`, and what earlier lines reveal about its exit code. */
export class Ending {
  readonly #sink: DecoderSink;
  #fault: { message: string; code: ErrorCode } | undefined;
  #limit: ErrorCode | undefined;
  #cancelled = false;

  constructor(sink: DecoderSink) {
    this.#sink = sink;
  }

  fail(wire: JsonObject): void {
    const message = asText(wire.message);
    this.#fault = { message, code: codeOfMessage(message) };
    this.#sink.emit({ type: 'error', scope: 'provider', ...this.#fault, fatal: true });
  }

  /** The agent says or does something after its last error. */
  recover(): void {
    this.#fault = undefined;
  }

  warn(message: string): void {
    if (this.#readLimit(message)) return;
    if (message === 'Cancelled') this.#cancelled = true;
    this.#sink.emit({ type: 'log', stream: 'agent', level: 'warning', text: message });
  }

  /** Before 0.19 warnings were only on stderr; since then those are copies. */
  warnOnStderr(message: string): boolean {
    if (!turnLimit.test(message) && !budgetLimit.test(message)) return false;
    if (this.#limit === undefined) this.#readLimit(message);
    return true;
  }

  #readLimit(message: string): boolean {
    const turns = turnLimit.exec(message);
    if (turns === null && !budgetLimit.test(message)) return false;
    this.#limit = turns === null ? 'cost_limit' : 'turn_limit';
    if (turns !== null) this.#sink.emit({ type: 'limit.reached', limit: 'turns', maximum: Number(turns[1]), message });
    else this.#sink.emit({ type: 'limit.reached', limit: /token/i.test(message) ? 'tokens' : 'cost', message });
    return true;
  }

  /** Limits, interrupts and broken streams all end with code 0; only a finished reply completes its turn. */
  read(wire: JsonObject, isReplyFinished: boolean): void {
    const exit = integer(wire.exit_code);
    if (exit === undefined) return;
    const raw_status = String(exit);
    if (exit !== 0) return this.#readFailure(exit, raw_status);
    if (this.#limit !== undefined)
      return this.#sink.emit({ type: 'agent.finished', status: 'failed', code: this.#limit, raw_status });
    if (this.#cancelled) return this.#sink.emit({ type: 'agent.finished', status: 'cancelled', raw_status });
    if (this.#fault !== undefined)
      return this.#sink.emit({ type: 'agent.finished', status: 'failed', ...this.#fault, raw_status });
    if (isReplyFinished) return this.#sink.emit({ type: 'agent.finished', status: 'ok', raw_status });
    const message = 'the last turn was not completed';
    this.#sink.emit({ type: 'agent.finished', status: 'failed', code: 'unknown', raw_status, message });
  }

  #readFailure(exit: number, raw_status: string): void {
    const fault = this.#fault;
    const meaning = codeOfExit[exit] ?? 'unknown';
    const code = meaning === 'server' && fault !== undefined && isProviderFault(fault.code) ? fault.code : meaning;
    const status = code === 'cancelled' ? 'cancelled' : 'failed';
    this.#sink.emit({ type: 'agent.finished', status, code, raw_status, ...present({ message: fault?.message }) });
  }
}
