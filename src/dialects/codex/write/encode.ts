import type { EventOf, EventRecord } from '../../../events/event.ts';
import type { Encoder, EncoderSink } from '../../dialect.ts';
import { Claims } from '../../kit/claims.ts';
import { lossOf } from '../../kit/losses.ts';
import { isObject } from '../../../json/read.ts';
import { writeEnding } from './ending.ts';
import { Items } from './items.ts';
import { Tools } from './tools.ts';

export function encoder(sink: EncoderSink): Encoder {
  const items = new Items(sink);
  const tools = new Tools(sink, items);
  let turnOpen = false;
  const claims = new Claims('codex');

  function say(event: EventOf<'text.completed' | 'reasoning.completed'>): void {
    if (event.parent_item_id !== undefined) return sink.lose('sub_agent');
    items.write('completed', event.block_id, {
      type: event.type === 'text.completed' ? 'agent_message' : 'reasoning',
      text: event.text,
    });
  }

  function retry({ attempt, max_attempts = attempt, cause }: EventOf<'retry.scheduled'>): void {
    const count = attempt === undefined ? '' : ` ${attempt}/${max_attempts}`;
    sink.line({ type: 'error', message: `Reconnecting...${count}${cause === '' ? '' : ` (${cause})`}` });
  }

  return {
    // An interrupted turn has no end on this wire: what it said would count for the next one.
    follow: () => claims.doubt(),
    record(event: EventRecord) {
      claims.see(event);
      switch (event.type) {
        case 'thread.started':
          if (event.model !== undefined) sink.lose('model');
          if (event.task !== undefined) sink.lose('prompt');
          return sink.line({ type: 'thread.started', thread_id: event.session_id ?? event.thread_id });
        case 'turn.started':
          if (turnOpen) return sink.lose('turn_boundary');
          turnOpen = true;
          return sink.line({ type: 'turn.started' });
        case 'text.completed':
        case 'reasoning.completed':
          return say(event);
        case 'item.started':
          return tools.start(event);
        case 'item.output':
          return tools.progress(event);
        case 'item.completed':
          return tools.end(event);
        case 'file.edited':
          // Part of the file_change item it came from; an edit by another agent's tool has no place on this wire.
          if (!event.item_id?.startsWith('item_')) sink.lose('file_edit');
          return;
        case 'error':
          return event.fatal ? sink.line({ type: 'error', message: event.message }) : items.warn(event.message);
        case 'log':
          return event.stream === 'agent' ? items.warn(event.text) : sink.lose('log');
        case 'retry.scheduled':
          return retry(event);
        case 'line.unknown':
          if (event.dialect !== 'codex' || !isObject(event.wire)) return sink.lose('unknown_line');
          return sink.line(event.wire);
        case 'permission.resolved':
          // Codex reports it on stderr.
          if (event.decision === 'denied') claims.doubt();
          return sink.lose('permission');
        case 'text.delta':
        case 'reasoning.delta':
        case 'turn.completed':
        case 'usage.reported':
        case 'agent.finished':
        case 'thread.completed':
          // Covered elsewhere on this wire: complete texts, and one closing line with the totals.
          return;
        default:
          return sink.lose(lossOf[event.type]);
      }
    },
    end: (outcome) => writeEnding(claims.claimOf(outcome), outcome, sink),
  };
}
