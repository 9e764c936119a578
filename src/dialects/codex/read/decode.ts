import { present } from '../../../json/present.ts';
import type { Decoder, DecoderSink } from '../../dialect.ts';
import type { JsonObject } from '../../../json/json.ts';
import { asText, object, string } from '../../../json/read.ts';
import { readEnding, readError } from './ending.ts';
import { legacyDecoder } from './legacy.ts';
import { isSession, sessionDecoder } from './session.ts';
import { stderrReader } from './stderr.ts';
import { Tools, typeOf } from './tools.ts';

/** `codex exec --json`: one thread, one turn, and in it items that start and complete. */
export function decoder(sink: DecoderSink): Decoder {
  const tools = new Tools(sink);
  const legacy = legacyDecoder(sink);
  const session = sessionDecoder(sink);

  let last: unknown;

  function line(wire: JsonObject): void {
    const before = last;
    last = wire.type;
    switch (wire.type) {
      case 'thread.started':
      case 'session.created':
        return sink.emit({
          type: 'thread.started',
          agent: 'codex',
          ...present({ session_id: string(wire.thread_id) ?? string(wire.session_id) }),
        });
      case 'turn.started':
        return sink.emit({ type: 'turn.started' });
      case 'item.started':
      case 'item.updated':
      case 'item.completed':
        return itemLine(wire.type, wire);
      case 'turn.completed':
      case 'turn.failed':
        // A log may deliver a line more than once: a repeated last line does not end anything else.
        return wire.type === before ? sink.note('guessed', 'last line that came twice') : readEnding(wire, sink);
      case 'error':
        return readError(wire, sink);
      default:
        if (isSession(wire)) session.line(wire);
        else if (!legacy.line(wire)) sink.unknown(wire);
    }
  }

  function itemLine(phase: 'item.started' | 'item.updated' | 'item.completed', wire: JsonObject): void {
    const item = object(wire.item);
    const id = string(item.id) ?? '';
    switch (typeOf(item)) {
      case 'agent_message':
      case 'assistant_message':
        if (phase === 'item.completed')
          sink.emit({
            type: 'text.completed',
            text: asText(item.text),
            block_id: id || 'item',
            message_id: id || 'item',
          });
        return;
      case 'reasoning':
        if (phase === 'item.completed')
          sink.emit({ type: 'reasoning.completed', text: asText(item.text), block_id: id || 'item' });
        return;
      case 'error':
        return sink.emit({ type: 'log', stream: 'agent', level: 'warning', text: asText(item.message) });
      case 'command_execution':
      case 'file_change':
      case 'mcp_tool_call':
      case 'collab_tool_call':
      case 'web_search':
      case 'todo_list':
        if (id === '') return sink.unknown(wire);
        if (phase === 'item.started') return tools.start(item, id);
        return phase === 'item.updated' ? tools.progress(item, id) : tools.end(item, id);
      default:
        return sink.unknown(wire);
    }
  }

  function end(): void {
    legacy.end();
    session.end();
  }

  return { line, stderr: stderrReader(sink), end };
}
