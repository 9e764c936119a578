import type { ErrorCode } from '../../../events/event.ts';
import type { DecoderSink, JsonObject } from '../../dialect.ts';
import { codeOfMessage } from '../../../faults.ts';
import { asText, filled, isObject, object } from '../../read.ts';
import { refusal } from '../words.ts';

/** How the run ends: with its last line, or with an error after which nothing came. */
export class Ending {
  readonly #sink: DecoderSink;
  #fault: { code: ErrorCode; message: string } | undefined;

  constructor(sink: DecoderSink) {
    this.#sink = sink;
  }

  /** The agent goes on, so no error was the last word. */
  recover(): void {
    this.#fault = undefined;
  }

  fail(message: string): void {
    this.#fault = faultOf(message);
    this.#sink.emit({ type: 'error', scope: 'agent', ...this.#fault, fatal: true });
  }

  /** The last line; `text`: the answer, or why there is none. */
  read(good: boolean, text: string, fields: { raw_status?: string; duration_ms?: number }): void {
    if (good && this.#fault === undefined) return this.#sink.emit({ type: 'agent.finished', status: 'ok', ...fields });
    this.#sink.emit({ type: 'agent.finished', status: 'failed', ...(this.#fault ?? faultOf(text)), ...fields });
  }

  /** A failed start prints a log line instead of an event. */
  readLog(wire: JsonObject): boolean {
    if (typeof wire.level !== 'string' || wire.type !== undefined) return false;
    const text = filled(object(wire.error).message) ?? filled(wire.error) ?? filled(wire.msg) ?? asText(wire.error);
    if (wire.level === 'error' || wire.level === 'fatal' || isObject(wire.error)) this.fail(text);
    else this.#sink.emit({ type: 'log', stream: 'agent', level: wire.level === 'warn' ? 'warning' : 'info', text });
    return true;
  }

  readStderr(text: string, wire: JsonObject | undefined): boolean {
    if (wire !== undefined) return this.readLog(wire);
    if (!refusal.test(text)) return false;
    this.fail(text);
    return true;
  }
}

function faultOf(message: string): { code: ErrorCode; message: string } {
  return { code: refusal.test(message) ? 'permission' : codeOfMessage(message), message };
}
