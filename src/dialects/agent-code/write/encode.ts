import type { Encoder, EncoderSink } from '../../dialect.ts';
import type { EventRecord } from '../../../events/event.ts';
import { lossOf } from '../../kit/losses.ts';
import { isObject } from '../../../json/read.ts';
import { writeEnding } from './ending.ts';
import { Texts } from './texts.ts';
import { Tools } from './tools.ts';
import { Turns } from './turns.ts';
import { Usage } from './usage.ts';

/** The eight events that every version of agent-code knows, and nothing else. */
export function encoder(sink: EncoderSink): Encoder {
  const usage = new Usage(sink);
  const turns = new Turns(sink, usage);
  const texts = new Texts(sink, turns);
  const tools = new Tools(sink, turns);
  let model = '';

  return {
    record(event: EventRecord) {
      switch (event.type) {
        case 'thread.started':
          model = event.model ?? '';
          if (event.task !== undefined) sink.lose('prompt');
          if (event.timestamp === null) sink.lose('time');
          return sink.line({
            type: 'session_start',
            session_id: event.session_id ?? event.thread_id,
            model,
            timestamp: event.timestamp ?? '1970-01-01T00:00:00Z',
          });
        case 'turn.started':
          return turns.start();
        case 'text.delta':
          return event.parent_item_id === undefined ? texts.say(event) : undefined;
        case 'text.completed':
          return event.parent_item_id === undefined ? texts.complete(event) : sink.lose('sub_agent');
        case 'reasoning.completed':
          if (event.parent_item_id !== undefined) return sink.lose('sub_agent');
          return sink.line({ type: 'thinking', content: event.text, turn: turns.current });
        case 'item.started':
          return tools.start(event);
        case 'item.completed':
          return tools.end(event);
        case 'file.edited':
          return tools.edit(event);
        case 'usage.reported':
          return usage.see(event);
        case 'error':
          // An error from which the agent recovered would read as the end of the run.
          return event.fatal ? turns.fail(event.message) : sink.lose('error');
        case 'line.unknown':
          if (event.dialect !== 'agent-code' || !isObject(event.wire)) return sink.lose('unknown_line');
          return sink.line(event.wire);
        case 'reasoning.delta':
        case 'turn.completed':
        case 'limit.reached':
        case 'agent.finished':
        case 'thread.completed':
          // Covered elsewhere: complete texts, the start of the next turn, and the last line.
          return;
        default:
          return sink.lose(lossOf[event.type]);
      }
    },
    end: (outcome) => writeEnding(outcome, sink, turns, { model }),
  };
}
