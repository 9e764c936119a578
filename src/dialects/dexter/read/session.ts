import type { DecoderSink } from '../../dialect.ts';
import type { JsonObject } from '../../../json/json.ts';
import { asText, string, time } from '../../../json/read.ts';
import { readTool } from './tools.ts';

/** The scratchpad, the log file of one query: no starts, no answer, no tokens and no end, so it can never prove a success. */
export function sessionDecoder(sink: DecoderSink): { line(wire: JsonObject): boolean } {
  let texts = 0;
  let tools = 0;
  let toolsInTurn = 0;

  function turn(): void {
    toolsInTurn = 0;
    sink.emit({ type: 'turn.started' });
  }

  return {
    line(wire) {
      const at = time(wire.timestamp);
      if (at === undefined) return false;
      switch (wire.type) {
        case 'init':
          if (typeof wire.content !== 'string') return false;
          sink.at(at);
          sink.emit({ type: 'thread.started', agent: 'dexter', task: wire.content });
          return true;
        case 'thinking':
          if (typeof wire.content !== 'string') return false;
          sink.at(at);
          if (texts === 0 || toolsInTurn > 0) turn();
          texts += 1;
          sink.emit({ type: 'text.completed', text: wire.content, message_id: `message_${texts}` });
          return true;
        case 'tool_result':
          if (typeof wire.toolName !== 'string') return false;
          sink.at(at);
          tools += 1;
          toolsInTurn += 1;
          // In a scratchpad, a result that is JSON is already parsed; in the other two forms it is always text.
          readTool(
            { name: wire.toolName, args: wire.args ?? {}, result: string(wire.result) ?? asText(wire.result) },
            `call_${tools}`,
            sink,
          );
          return true;
        default:
          return false;
      }
    },
  };
}
