import type { EventOf, EventRecord } from '../../../events/event.ts';
import type { RunOutcome } from '../../../outcome/outcome.ts';
import type { Encoder, EncoderSink, JsonObject } from '../../dialect.ts';
import { lossOf } from '../../losses.ts';
import { asText, isObject } from '../../read.ts';
import { finished } from '../tools.ts';
import { errorPrefix, limitPrefix } from '../words.ts';
import { failureMessage } from './ending.ts';
import { Replies } from './replies.ts';
import { ToldCalls } from './told-calls.ts';
import { Tools, writeArgs } from './tools.ts';
import { writeUsage } from './usage.ts';

type Told = { tool: string; args: JsonObject; result: string };

/** The events of Dexter's Agent class, one a line. */
export function eventsEncoder(sink: EncoderSink): Encoder {
  const replies = new Replies(sink);
  const tools = new Tools(sink);
  // The last line repeats the calls, which their own lines have told: what it leaves out is not lost.
  const told = new ToldCalls<Told>(() => {});
  let claim: EventOf<'agent.finished'> | undefined;
  let limit: EventOf<'limit.reached'> | undefined;
  let fault: EventOf<'error'> | undefined;
  let asked = '';
  let hasTools = false;
  let isDenied = false;

  function startTool(event: EventOf<'item.started'>): void {
    if (!isObject(event.args)) sink.lose('tool_args');
    replies.call();
    hasTools = true;
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
      isDenied = true;
      return sink.line({ type: 'tool_denied', ...head, args });
    }
    const time = event.duration_ms === undefined ? {} : { duration: event.duration_ms };
    const result = asText(event.output);
    const read = finished(start.name, result);
    if (event.exit_code !== undefined && read.exit_code !== event.exit_code) sink.lose('exit_code');
    // A result that reads as a success cannot tell a failure.
    if (event.status !== 'success' && event.status !== read.status) {
      if (event.status === 'cancelled') sink.lose('tool_status');
      const error = event.error ?? result;
      told.push({ tool: start.name, args, result: errorPrefix + error });
      return sink.line({ type: 'tool_error', ...head, error, ...time });
    }
    if (event.status !== read.status) sink.lose('tool_status');
    told.push({ tool: start.name, args, result });
    sink.line({ type: 'tool_end', ...head, args, result, ...time });
  }

  function finish(outcome: RunOutcome): void {
    const { metrics, verdict } = outcome;
    if ((claim === undefined && fault === undefined) || claim?.status === 'cancelled') {
      // An abort leaves the generator without a last word.
      replies.flush();
      if (metrics.tokens_used !== undefined) sink.lose('usage');
      return;
    }
    const isGood = claim?.status === 'ok' && verdict.class === 'success';
    if (!isGood) replies.flush();
    const answer = isGood ? replies.answer(outcome.message) : failureAnswer(outcome);
    // Who answers nothing and calls nothing has failed on this wire.
    if (isGood && answer === '' && !hasTools) sink.lose('verdict');
    sink.line({
      type: 'done',
      answer,
      toolCalls: told.toArray(),
      iterations: metrics.turns,
      totalTime: claim?.duration_ms ?? metrics.duration_ms ?? 0,
      ...writeUsage(metrics, sink),
    });
  }

  function failureAnswer(outcome: RunOutcome): string {
    // An empty answer is how a denied tool ends a run, and how a model ends it that says and does nothing.
    if (isDenied ? outcome.verdict.class === 'permission' : outcome.verdict.class === 'incomplete' && !hasTools) return '';
    const reason = claim?.message ?? failureMessage(outcome);
    if (limit?.limit !== 'turns') return errorPrefix + reason;
    return reason.startsWith(limitPrefix) ? reason : `${limitPrefix}${limit.maximum ?? 0}). ${reason}`;
  }

  return {
    // An end alone would be taken for that of the run before.
    follow: () => sink.line({ type: 'stream_progress', charDelta: 0, mode: 'responding' }),
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
          asked = event.what;
          return;
        case 'permission.resolved': {
          const approved = event.raw_decision ?? (event.decision === 'allowed' ? 'allow-once' : 'deny');
          return sink.line({ type: 'tool_approval', tool: asked, args: {}, approved });
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
          limit = event;
          if (event.limit !== 'turns') sink.lose('limit');
          return;
        case 'error':
          // The last fatal one is what a failed run answers.
          if (!event.fatal || fault !== undefined) sink.lose('error');
          if (event.fatal) fault = event;
          return;
        case 'agent.finished':
          claim = event;
          return;
        case 'line.unknown':
          if (event.dialect !== 'dexter' || !isObject(event.wire)) return sink.lose('unknown_line');
          return sink.line(event.wire);
        case 'text.delta':
        case 'reasoning.delta':
        case 'turn.completed':
        case 'usage.reported':
        case 'thread.completed':
          // Said elsewhere: whole texts, and the last line.
          return;
        default:
          return sink.lose(lossOf[event.type]);
      }
    },
    end: finish,
  };
}
