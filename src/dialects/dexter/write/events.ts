import type { EventOf, EventRecord } from '../../../events/event.ts';
import { present } from '../../../json/present.ts';
import type { Encoder, EncoderSink } from '../../dialect.ts';
import { lossOf } from '../../kit/losses.ts';
import { asText, isObject } from '../../../json/read.ts';
import { finished } from '../read/tools.ts';
import { errorPrefix } from '../words.ts';
import { Ending } from './ending.ts';
import { Replies } from './replies.ts';
import { Tools, writeArgs } from './tools.ts';

/** The events of Dexter's Agent class, one per line. */
export function eventsEncoder(sink: EncoderSink): Encoder {
  const replies = new Replies(sink);
  const tools = new Tools(sink);
  const ending = new Ending(sink, replies);
  let tool = '';

  function startTool(event: EventOf<'item.started'>): void {
    if (!isObject(event.args)) sink.lose('tool_args');
    replies.call();
    ending.startTool();
    tools.start(event);
    sink.line({ type: 'tool_start', tool: event.name, args: writeArgs(event.args), toolCallId: event.item_id });
  }

  function endTool(event: EventOf<'item.completed'>): void {
    const start = tools.end(event.item_id);
    // A call that never ended stays open on this wire too.
    if (start === undefined || event.status === 'abandoned') return;
    const head = { tool: start.name, toolCallId: event.item_id };
    const args = writeArgs(start.args);
    if (event.status === 'denied') {
      if ((event.output ?? event.error) !== undefined) sink.lose('tool_output');
      ending.deny();
      return sink.line({ type: 'tool_denied', ...head, args });
    }
    const time = present({ duration: event.duration_ms });
    const result = asText(event.output);
    const read = finished(start.name, result);
    if (event.exit_code !== undefined && read.exit_code !== event.exit_code) sink.lose('exit_code');
    // A result that reads as a success cannot express a failure.
    if (event.status !== 'success' && event.status !== read.status) {
      if (event.status === 'cancelled') sink.lose('tool_status');
      const error = event.error ?? result;
      ending.endTool({ tool: start.name, args, result: errorPrefix + error });
      return sink.line({ type: 'tool_error', ...head, error, ...time });
    }
    if (event.status !== read.status) sink.lose('tool_status');
    ending.endTool({ tool: start.name, args, result });
    sink.line({ type: 'tool_end', ...head, args, result, ...time });
  }

  return {
    // An end alone would be taken for that of the previous run.
    follow() {
      sink.line({ type: 'stream_progress', charDelta: 0, mode: 'responding' });
      ending.follow();
    },
    record(event: EventRecord) {
      switch (event.type) {
        case 'thread.started':
          if (event.task !== undefined) sink.lose('prompt');
          if (event.model !== undefined) sink.lose('model');
          return;
        case 'turn.started':
          return replies.request();
        case 'text.completed':
          return replies.say(event);
        case 'permission.requested':
          replies.call();
          tool = event.what;
          return;
        case 'permission.resolved': {
          const approved = event.raw_decision ?? (event.decision === 'allowed' ? 'allow-once' : 'deny');
          return sink.line({ type: 'tool_approval', tool: tool, args: {}, approved });
        }
        case 'item.started':
          return startTool(event);
        case 'item.output': {
          const { item_id, chunk } = event;
          return sink.line({ type: 'tool_progress', tool: tools.nameOf(item_id), message: chunk, toolCallId: item_id });
        }
        case 'item.completed':
          return endTool(event);
        case 'file.edited':
          return tools.edit(event);
        case 'prompt.submitted':
          return sink.line({ type: 'queue_drain', messageCount: 1, mergedText: event.text });
        case 'log':
          if (event.stream !== 'agent') return sink.lose('log');
          return sink.line({ type: 'tool_limit', tool: '', warning: event.text, blocked: false });
        case 'limit.reached':
          return ending.reach(event);
        case 'error':
          return ending.fail(event);
        case 'agent.finished':
          return ending.claim(event);
        case 'line.unknown':
          if (event.dialect !== 'dexter' || !isObject(event.wire)) return sink.lose('unknown_line');
          return sink.line(event.wire);
        case 'text.delta':
        case 'reasoning.delta':
        case 'turn.completed':
        case 'usage.reported':
        case 'thread.completed':
          // Covered elsewhere: complete texts, and the last line.
          return;
        default:
          return sink.lose(lossOf[event.type]);
      }
    },
    end: (outcome) => ending.write(outcome),
  };
}
