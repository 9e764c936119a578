import type { ErrorCode } from '../../../events/event.ts';
import { present } from '../../../present.ts';
import type { DecoderSink } from '../../dialect.ts';
import { codeOfMessage } from '../../../faults.ts';

/** There is no closing line: an answer without an error is a good end. */
export class Ending {
  readonly #sink: DecoderSink;
  #hasFailed = false;

  constructor(sink: DecoderSink) {
    this.#sink = sink;
  }

  fail(message: string, rawStatus: string | undefined, code: ErrorCode = codeOfMessage(message)): void {
    this.#hasFailed = true;
    this.#sink.emit({ type: 'agent.finished', status: 'failed', code, ...present({ raw_status: rawStatus }), message });
  }

  read(hasAnswer: boolean): void {
    if (hasAnswer && !this.#hasFailed) this.#sink.emit({ type: 'agent.finished', status: 'ok' });
  }
}
