import { present } from '../../../present.ts';
import type { DecoderSink, JsonObject } from '../../dialect.ts';
import { codeOfMessage } from '../../../faults.ts';
import { asText, count, filled, list, string } from '../../read.ts';
import { readUsage } from './usage.ts';

/** The `result` line. Unlike Claude's it has its error in `error`, and its denials are plain texts. */
export class Ending {
  readonly #sink: DecoderSink;
  #denials = 0;

  constructor(sink: DecoderSink) {
    this.#sink = sink;
  }

  read(wire: JsonObject, hasSpoken: boolean): void {
    const text = string(wire.result) ?? '';
    if (!hasSpoken && text !== '') this.#sink.emit({ type: 'text.completed', text });
    readUsage(this.#sink, 'turn', wire.usage);
    for (const each of list(wire.permission_denials)) this.#deny(asText(each));
    const fields = present({ raw_status: string(wire.subtype), duration_ms: count(wire.duration_ms) });
    if (wire.subtype === 'success' && wire.is_error === false) return this.#sink.emit({ type: 'agent.finished', status: 'ok', ...fields });
    const error = filled(wire.error) ?? text;
    if (wire.subtype === 'error_max_turns') {
      this.#sink.emit({ type: 'limit.reached', limit: 'turns', ...present({ value: count(wire.num_turns), message: filled(error) }) });
      return this.#sink.emit({ type: 'agent.finished', status: 'failed', code: 'turn_limit', message: error, ...fields });
    }
    const code = codeOfMessage(error);
    if (code === 'cancelled') return this.#sink.emit({ type: 'agent.finished', status: 'cancelled', message: error, ...fields });
    this.#sink.emit({ type: 'agent.finished', status: 'failed', code, message: error, ...fields });
  }

  #deny(what: string): void {
    const id = `denial_${++this.#denials}`;
    this.#sink.emit({ type: 'permission.requested', permission_id: id, what });
    this.#sink.emit({ type: 'permission.resolved', permission_id: id, decision: 'denied', by: 'rule' });
  }
}
