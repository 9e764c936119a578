import type { ErrorCode } from '../../../events/event.ts';
import type { DecoderSink } from '../../dialect.ts';
import { codeOfMessage } from '../../../faults.ts';

/** The last line comes after a failure too, so it means success only if the model had the last word and no error followed. */
export class Ending {
  readonly #sink: DecoderSink;
  /** An error after which nothing came. */
  #fault: { code: ErrorCode; message: string } | undefined;
  #isLimited = false;
  lastWord: 'text' | 'tool' | undefined;

  constructor(sink: DecoderSink) {
    this.#sink = sink;
  }

  /** The agent goes on, so no error was the last word. */
  recover(): void {
    this.#fault = undefined;
  }

  fail(message: string, code: ErrorCode = codeOfMessage(message)): void {
    this.#fault = { code, message };
    this.#sink.emit({ type: 'error', scope: 'provider', ...this.#fault, fatal: true });
  }

  limit(message: string): void {
    this.#isLimited = true;
    this.#sink.emit({ type: 'limit.reached', limit: 'turns', message });
  }

  read(status: string, areCallsOpen: boolean): void {
    const raw = { raw_status: status };
    if (this.#isLimited) this.#sink.emit({ type: 'agent.finished', status: 'failed', code: 'turn_limit', ...raw });
    else if (this.#fault !== undefined) this.#sink.emit({ type: 'agent.finished', status: 'failed', ...this.#fault, ...raw });
    else if (this.lastWord === 'text' && !areCallsOpen && (status === 'complete' || status === 'completed'))
      this.#sink.emit({ type: 'agent.finished', status: 'ok', ...raw });
  }
}
