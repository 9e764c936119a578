import type { Decoder, DecoderSink, JsonObject } from '../../dialect.ts';
import { asText } from '../../read.ts';
import { isNote, isWrapped } from '../detect.ts';
import { noPrompt, wrapping } from '../words.ts';
import { Ending } from './ending.ts';

export function decoder(sink: DecoderSink): Decoder {
  const ending = new Ending(sink);
  let introduced = false;
  let isAnswered = false;
  let answers = 0;
  /** Another run's answer begins here and cannot be read. */
  let isCut = false;

  function line(wire: JsonObject): void {
    introduce();
    if (isWrapped(wire)) {
      // A run prints one answer: this is another run's.
      if (isAnswered) beginAgain();
      isAnswered = true;
      isCut = false;
      return readAnswer(asText(wire.response));
    }
    if (isNote(wire)) return readNote(wire);
    readAnswer(JSON.stringify(wire));
  }

  function introduce(): void {
    if (introduced) return;
    introduced = true;
    sink.emit({ type: 'thread.started', agent: 'continue' });
  }

  function beginAgain(): void {
    if (!isCut) ending.read(true);
    introduced = false;
    introduce();
  }

  /** The last JSON value is the answer; failures print none on stdout. */
  function readAnswer(text: string): void {
    const id = `answer_${++answers}`;
    sink.emit({ type: 'text.completed', text, message_id: id, block_id: id });
  }

  function readNote(wire: JsonObject): void {
    const text = asText(wire.message);
    if (wire.status === 'error') return ending.fail(text, 'error');
    sink.emit({ type: 'log', stream: 'agent', level: wire.status === 'warning' ? 'warning' : 'info', text });
  }

  function stderr(text: string, wire?: JsonObject): boolean {
    if (wire !== undefined && wire.status === 'error' && isNote(wire)) {
      introduce();
      readNote(wire);
      return true;
    }
    if (!text.startsWith(`Error: ${noPrompt}`)) return false;
    introduce();
    ending.fail(text.slice('Error: '.length), undefined, 'input');
    return true;
  }

  function unreadable(broken: string): void {
    if (!broken.startsWith(wrapping)) return;
    introduce();
    sink.emit({ type: 'log', stream: 'agent', level: 'warning', text: 'an answer that cannot be read' });
    if (!isAnswered) return;
    beginAgain();
    isCut = true;
  }

  return { line, stderr, text: unreadable, end: () => ending.read(answers > 0 && !isCut) };
}
