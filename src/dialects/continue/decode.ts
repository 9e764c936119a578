import type { Decoder, DecoderSink, JsonObject } from '../dialect.ts';
import { codeOfMessage } from '../../faults.ts';
import { asText } from '../read.ts';
import { isNote, isWrapped } from './detect.ts';

const missingPrompt = /^Error: (A prompt is required when using the -p\/--print flag.*)$/s;

export function decoder(sink: DecoderSink): Decoder {
  let introduced = false;
  let answers = 0;
  let failed = false;

  function introduce(): void {
    if (introduced) return;
    introduced = true;
    sink.emit({ type: 'thread.started', agent: 'continue' });
  }

  /** The last JSON value is the answer; failures print none on stdout. */
  function answer(text: string): void {
    const id = `answer_${++answers}`;
    sink.emit({ type: 'text.completed', text, message_id: id, block_id: id });
  }

  function note(wire: JsonObject): void {
    const text = asText(wire.message);
    switch (wire.status) {
      case 'error':
        return fail(text);
      case 'warning':
        return sink.emit({ type: 'log', stream: 'agent', level: 'warning', text });
      default:
        return sink.emit({ type: 'log', stream: 'agent', level: 'info', text });
    }
  }

  function fail(message: string): void {
    failed = true;
    sink.emit({ type: 'agent.finished', status: 'failed', code: codeOfMessage(message), raw_status: 'error', message });
  }

  function line(wire: JsonObject): void {
    introduce();
    if (isWrapped(wire)) return answer(asText(wire.response));
    if (isNote(wire)) return note(wire);
    answer(JSON.stringify(wire));
  }

  function stderr(text: string, wire?: JsonObject): boolean {
    if (wire !== undefined && wire.status === 'error' && isNote(wire)) {
      introduce();
      fail(asText(wire.message));
      return true;
    }
    const prompt = missingPrompt.exec(text)?.[1];
    if (prompt === undefined) return false;
    introduce();
    failed = true;
    sink.emit({ type: 'agent.finished', status: 'failed', code: 'input', message: prompt });
    return true;
  }

  function end(): void {
    if (answers > 0 && !failed) sink.emit({ type: 'agent.finished', status: 'ok' });
  }

  return { line, stderr, end };
}
