import { present } from '../../../json/present.ts';
import type { Decoder, DecoderSink } from '../../dialect.ts';
import type { JsonObject } from '../../../json/json.ts';
import { asText, filled, integer, string, time } from '../../../json/read.ts';
import { Ending } from './ending.ts';
import { Tools } from './tools.ts';
import { Usage } from './usage.ts';

export function decoder(sink: DecoderSink): Decoder {
  const tools = new Tools(sink);
  let usage = new Usage(sink);
  const ending = new Ending(sink);
  let turn = 0;
  let turnOpen = false;
  let turns = 0;

  function line(wire: JsonObject): void {
    switch (wire.type) {
      case 'session_start':
        return start(wire);
      case 'turn_start':
        return enter(wire, true);
      case 'text_delta':
        enter(wire);
        ending.recover();
        return sink.emit({ type: 'text.delta', text: asText(wire.content) });
      case 'thinking':
        enter(wire);
        return sink.emit({ type: 'reasoning.completed', text: asText(wire.content) });
      case 'tool_call':
        enter(wire);
        ending.recover();
        return void tools.start(asText(wire.tool), wire.input ?? null, turn);
      case 'permission_denied':
        enter(wire);
        return tools.deny(wire, turn);
      case 'tool_result':
        enter(wire);
        return tools.end(wire, turn);
      case 'turn_complete':
        enter(wire);
        usage.readTurn(wire);
        turnOpen = false;
        return sink.emit({ type: 'turn.completed' });
      case 'error':
        enter(wire);
        return ending.fail(wire);
      case 'warning':
        enter(wire);
        return ending.warn(asText(wire.message));
      case 'compact':
        enter(wire);
        return sink.emit({
          type: 'log',
          stream: 'agent',
          level: 'info',
          text: `compacted: freed ~${asText(wire.freed_tokens)} tokens`,
        });
      case 'session_end':
        usage.readTotal(wire, turns);
        return ending.read(wire, turns > 0 && !turnOpen);
      default:
        return sink.unknown(wire);
    }
  }

  function start(wire: JsonObject): void {
    usage = new Usage(sink);
    turn = 0;
    turnOpen = false;
    turns = 0;
    // The only time on this wire.
    sink.at(time(wire.timestamp));
    sink.emit({
      type: 'thread.started',
      agent: 'agent-code',
      ...present({
        session_id: filled(wire.session_id),
        model: filled(wire.model),
        cwd: string(wire.cwd),
        agent_version: string(wire.agent_version),
      }),
    });
    sink.at(undefined);
  }

  /** Versions before 0.19 have no `turn_start`: a changed number is a new turn. */
  function enter(wire: JsonObject, begins = false): void {
    const number = integer(wire.turn);
    if (number === undefined || number < 1) return;
    if (number === turn && (turnOpen || !begins)) return;
    turn = number;
    turnOpen = true;
    turns += 1;
    ending.recover();
    sink.emit({ type: 'turn.started', iteration: number });
  }

  function stderr(text: string): boolean {
    return text.startsWith('compacted: freed ~') || ending.warnOnStderr(text);
  }

  return { line, stderr, end() {} };
}
