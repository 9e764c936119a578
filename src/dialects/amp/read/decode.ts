import type { Decoder, DecoderSink, JsonObject } from '../../dialect.ts';
import { asText, filled, list, object } from '../../read.ts';
import { readInit } from '../../shared/init.ts';
import { Ending } from './ending.ts';
import { Messages } from './messages.ts';
import { Tools } from './tools.ts';

export function decoder(sink: DecoderSink): Decoder {
  const tools = new Tools(sink);
  const messages = new Messages(sink, tools);
  const ending = new Ending(sink);

  function line(wire: JsonObject): void {
    switch (wire.type) {
      case 'system':
        return readInit(sink, 'amp', wire);
      case 'assistant':
        return messages.read(wire);
      case 'user':
        return readUser(wire);
      case 'result':
        messages.closeAll();
        return ending.read(wire, messages.hasSpoken);
      default:
        return sink.unknown(wire);
    }
  }

  /** A prompt, or tool results. */
  function readUser(wire: JsonObject): void {
    const parent = filled(wire.parent_tool_use_id);
    const isPrompt = parent === undefined;
    messages.interrupt(parent);
    const content = object(wire.message).content;
    if (typeof content === 'string') return isPrompt ? readPrompt(content) : undefined;
    for (const each of list(content)) {
      const part = object(each);
      if (part.type === 'tool_result') readResult(part);
      else if (part.type === 'text' && isPrompt) readPrompt(asText(part.text));
    }
  }

  function readPrompt(text: string): void {
    if (text !== '') sink.emit({ type: 'prompt.submitted', text });
  }

  function readResult(part: JsonObject): void {
    const id = filled(part.tool_use_id);
    if (id === undefined) return sink.unknown(part);
    // When its call ends, a sub-agent has sent its last message.
    messages.close(id);
    tools.end(id, part);
  }

  return { line, end: () => messages.closeAll() };
}
