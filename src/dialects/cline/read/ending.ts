import type { ErrorCode } from '../../../events/event.ts';
import { present } from '../../../json/present.ts';
import type { DecoderSink } from '../../dialect.ts';
import type { JsonObject } from '../../../json/json.ts';
import { codeOfMessage } from '../../../outcome/faults.ts';
import { asText, count, filled, object, string, whole, wordIn } from '../../../json/read.ts';
import { errorClasses } from '../words.ts';

// Cline's loop check ends a run with these words, then reports it as an abort by another client.
const loopStop = /^Detected (\d{1,6}) consecutive identical calls .* stopping to avoid a loop/s;
const timeout = /^run timed out after \d/;

interface ClaimFields {
  code?: ErrorCode;
  raw_status?: string;
  message?: string;
  duration_ms?: number;
}

/** How the run ends: errors on the way, its last line, an abort. */
export class Ending {
  readonly #sink: DecoderSink;
  #abort: string | undefined;
  #loop: { value: number; message: string } | undefined;
  /** The last failure that was reported; stderr repeats it. */
  #lastFault: string | undefined;
  #claim: 'ok' | 'failed' | 'cancelled' | undefined;

  constructor(sink: DecoderSink) {
    this.#sink = sink;
  }

  readError(event: JsonObject): void {
    const fault = object(event.error);
    const message = asText(fault.message ?? event.error);
    const stop = loopStop.exec(message);
    if (stop !== null) this.#loop = { value: Number(stop[1]), message };
    const fatal = event.recoverable !== true;
    if (fatal) this.#lastFault = message;
    const isTool = message.includes('tool call(s) failed');
    this.#sink.emit({
      type: 'error',
      scope: fatal ? 'provider' : isTool ? 'tool' : 'agent',
      code: isTool ? 'tool' : (wordIn(errorClasses, string(event.errorClass) ?? '') ?? codeOfMessage(message)),
      message,
      fatal,
      ...present({
        name: fault.name === 'Error' ? undefined : string(fault.name),
        stack: string(fault.stack),
        iteration: whole(event.iteration),
      }),
    });
  }

  /** `run_result`; `isRefused`: the last thing that happened was a refusal. */
  read(wire: JsonObject, isRefused: boolean): void {
    const message = asText(wire.text);
    const reason = asText(wire.finishReason);
    const fields = present({ raw_status: filled(reason), duration_ms: count(wire.durationMs) });
    switch (reason) {
      case 'completed':
        return this.#finish('ok', fields);
      case 'aborted':
        return this.#finishAborted(fields, isRefused);
      case 'max_iterations':
        this.#sink.emit({ type: 'limit.reached', limit: 'turns', ...present({ value: count(wire.iterations) }) });
        return this.#finish('failed', { ...fields, code: 'turn_limit' });
      case 'mistake_limit':
        return this.#finish('failed', { ...fields, code: isRefused ? 'permission' : 'tool', message });
      default:
        this.#lastFault = message;
        return this.#finish('failed', { ...fields, code: codeOfMessage(message), message });
    }
  }

  requestAbort(reason: string): void {
    this.#abort = reason;
    this.#sink.emit({ type: 'log', stream: 'agent', level: 'warning', text: `abort requested: ${reason}` });
  }

  readAborted(wire: JsonObject): void {
    if (this.#claim !== undefined && this.#claim !== 'ok') return;
    this.#finish('cancelled', present({ raw_status: filled(wire.reason), message: filled(wire.message) }));
  }

  /** A separate error line, on stdout or stderr. */
  fail(message: string): void {
    if (message === this.#lastFault) return;
    this.#lastFault = message;
    if (timeout.test(message)) return this.#sink.emit({ type: 'limit.reached', limit: 'time', message });
    this.#sink.emit({ type: 'error', scope: 'agent', code: codeOfMessage(message), message, fatal: true });
  }

  get isOver(): boolean {
    return this.#claim !== undefined;
  }

  /** Another run follows. */
  cutOff(): void {
    this.end();
    if (!this.isOver) this.#finish('failed', { code: 'unknown', message: 'it stopped without an end' });
  }

  /** The stream has ended. */
  end(): void {
    if (this.#claim === undefined && this.#abort !== undefined) this.#finish('cancelled', { raw_status: this.#abort });
  }

  /** Cline calls every early end an abort: a signal, its own loop check, and giving up after refusals. */
  #finishAborted(fields: ClaimFields, isRefused: boolean): void {
    if (this.#abort === undefined && this.#loop !== undefined) {
      this.#sink.emit({ type: 'limit.reached', limit: 'tool_calls', ...this.#loop });
      return this.#finish('failed', { ...fields, code: 'turn_limit', message: this.#loop.message });
    }
    if (this.#abort === undefined && isRefused)
      return this.#finish('failed', { ...fields, code: 'permission', message: 'aborted after a refused tool' });
    this.#finish('cancelled', fields);
  }

  #finish(status: 'ok' | 'failed' | 'cancelled', fields: ClaimFields): void {
    this.#claim = status;
    this.#sink.emit({ type: 'agent.finished', status, ...fields });
  }
}
