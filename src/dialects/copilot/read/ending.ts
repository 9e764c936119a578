import type { ErrorCode } from '../../../events/event.ts';
import { present } from '../../../present.ts';
import type { DecoderSink, JsonObject } from '../../dialect.ts';
import { codeOfMessage } from '../../../faults.ts';
import { asText, filled, integer, string, wordIn } from '../../read.ts';
import { errorTypes } from '../words.ts';

/** How the run ends: an abort, or an error after which nothing came, outweighs the last line. */
export class Ending {
  readonly #sink: DecoderSink;
  #aborted: string | undefined;
  #fault: { code: ErrorCode; message: string } | undefined;
  #isRead = false;

  constructor(sink: DecoderSink) {
    this.#sink = sink;
  }

  abort(reason: string): void {
    this.#aborted = reason;
  }

  /** The agent goes on, so no error was the last word. */
  recover(): void {
    this.#fault = undefined;
  }

  fail(data: JsonObject): void {
    const message = asText(data.message);
    const status = integer(data.statusCode);
    const worded = codeOfMessage(`${asText(data.errorType)} ${message}`, status);
    const typed = wordIn(errorTypes, asText(data.errorType));
    this.#fault = { code: worded === 'unknown' || worded === 'refused' ? (typed ?? worded) : worded, message };
    this.#sink.emit({
      type: 'error',
      scope: 'session',
      ...this.#fault,
      fatal: true,
      ...present({ name: filled(data.errorType), http_status: status, stack: string(data.stack) }),
    });
  }

  /** A closing line. */
  read(good: boolean, raw: string, fields: { duration_ms?: number }): void {
    const said = { raw_status: raw, ...fields };
    this.#isRead = true;
    if (this.#aborted !== undefined)
      return this.#sink.emit({ type: 'agent.finished', status: 'cancelled', ...said, message: this.#aborted });
    if (this.#fault !== undefined) return this.#sink.emit({ type: 'agent.finished', status: 'failed', ...this.#fault, ...said });
    if (good) return this.#sink.emit({ type: 'agent.finished', status: 'ok', ...said });
    this.#sink.emit({ type: 'agent.finished', status: 'failed', code: 'unknown', ...said });
  }

  /** The stream has ended. */
  end(): void {
    if (this.#isRead || this.#aborted === undefined) return;
    this.#sink.emit({ type: 'agent.finished', status: 'cancelled', message: this.#aborted });
  }
}
