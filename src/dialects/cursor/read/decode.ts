import type { Decoder, DecoderSink, JsonObject } from '../../dialect.ts';
import { object, time } from '../../read.ts';
import { readInit } from '../../shared/init.ts';
import { readEnding } from './ending.ts';
import { textOf, Texts } from './texts.ts';
import { Tools } from './tools.ts';

export function decoder(sink: DecoderSink): Decoder {
  const texts = new Texts(sink);
  const tools = new Tools(sink, () => texts.close());

  function line(wire: JsonObject): void {
    const at = time(wire.timestamp_ms);
    if (at !== undefined) sink.at(at);
    switch (wire.type) {
      case 'system':
        return readInit(sink, 'cursor', wire);
      case 'user':
        return sink.emit({ type: 'prompt.submitted', text: textOf(object(wire.message).content) });
      case 'thinking':
        return texts.think(wire);
      case 'assistant':
        return texts.say(wire);
      case 'tool_call':
        return tools.read(wire);
      case 'result':
        texts.close();
        return readEnding(sink, wire, texts.hasSpoken);
      default:
        return sink.unknown(wire);
    }
  }

  return { line, end: () => texts.close() };
}
