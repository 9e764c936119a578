import type { EventOf, EventRecord } from '../../events/event.ts';
import type { Encoder, EncoderSink, JsonObject } from '../dialect.ts';
import { lossOf } from '../losses.ts';
import { asText, count, isObject, object } from '../read.ts';
import { failureMessage } from './encode.ts';
import { errorPrefix, finished, isFileTool } from './tools.ts';

/** The events of Dexter's Agent class, one a line. */
export function eventsEncoder(sink: EncoderSink): Encoder {
  const open = new Map<string, EventOf<'item.started'>>();
  const toolCalls: JsonObject[] = [];
  /** Text that is the answer if nothing follows it, and `thinking` otherwise. */
  let pending: string | undefined;
  let message: string | undefined;
  let claim: EventOf<'agent.finished'> | undefined;
  let limit: EventOf<'limit.reached'> | undefined;
  let fault: EventOf<'error'> | undefined;
  let asked = '';
  let toolsCalled = false;
  let editor: string | undefined;

  const progress = (mode: string, charDelta: number): void => sink.line({ type: 'stream_progress', charDelta, mode });

  function request(): void {
    toolsCalled = false;
    progress('requesting', 0);
  }

  function flush(calling: boolean): void {
    const text = pending;
    pending = undefined;
    if (text !== undefined) progress('responding', text.length);
    if (calling && !toolsCalled) progress('tool-use', 0);
    toolsCalled ||= calling || text !== undefined;
    if (text !== undefined) sink.line({ type: 'thinking', message: text });
  }

  function end(event: EventOf<'item.completed'>): void {
    const start = open.get(event.item_id);
    if (start === undefined) return;
    open.delete(event.item_id);
    editor = isFileTool(start.name) ? event.item_id : undefined;
    // A call that never ended stays open on this wire too.
    if (event.status === 'abandoned') return;
    const head = { tool: start.name, toolCallId: event.item_id };
    const args = isObject(start.args) ? start.args : { value: start.args };
    if (event.status === 'denied') {
      if ((event.output ?? event.error) !== undefined) sink.lose('tool_output');
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
      toolCalls.push({ tool: start.name, args, result: errorPrefix + error });
      return sink.line({ type: 'tool_error', ...head, error, ...time });
    }
    if (event.status !== read.status) sink.lose('tool_status');
    toolCalls.push({ tool: start.name, args, result });
    sink.line({ type: 'tool_end', ...head, args, result, ...time });
  }

  function finish(report: JsonObject): void {
    const metrics = object(report.metrics);
    if ((claim === undefined && fault === undefined) || claim?.status === 'cancelled') {
      // An abort leaves the generator without a last word.
      flush(false);
      if (metrics.tokens_used !== undefined) sink.lose('usage');
      return;
    }
    const ok = claim?.status === 'ok' && object(report.verdict).class === 'success';
    if (!ok) flush(false);
    const answer = ok ? (pending ?? '') : failureAnswer(report);
    if (ok && pending !== undefined) progress('responding', pending.length);
    if (ok && answer === '') sink.lose('verdict');
    sink.line({
      type: 'done',
      answer,
      toolCalls,
      iterations: count(metrics.turns) ?? 0,
      totalTime: claim?.duration_ms ?? count(metrics.duration_ms) ?? 0,
      ...tokenUsage(metrics),
    });
  }

  function failureAnswer(report: JsonObject): string {
    // An empty answer is how a denied tool ends a run, and how a model ends it that says nothing.
    const verdict = object(report.verdict).class;
    if (verdict === 'permission' || verdict === 'incomplete') return '';
    const reason = claim?.message ?? failureMessage(report);
    if (limit?.limit !== 'turns') return errorPrefix + reason;
    return reason.startsWith('Reached maximum iterations (') ? reason : `Reached maximum iterations (${limit.maximum ?? 0}). ${reason}`;
  }

  function tokenUsage(metrics: JsonObject): JsonObject {
    const inputTokens = count(metrics.input_tokens);
    const outputTokens = count(metrics.output_tokens);
    if (metrics.cost !== undefined && metrics.cost_source === 'reported') sink.lose('cost');
    if ((metrics.reasoning_tokens ?? metrics.cache_read_tokens ?? metrics.cache_write_tokens) !== undefined) sink.lose('token_split');
    if (inputTokens === undefined || outputTokens === undefined) {
      if (metrics.tokens_used !== undefined) sink.lose('usage');
      return {};
    }
    return { tokenUsage: { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens } };
  }

  return {
    record(event: EventRecord) {
      switch (event.type) {
        case 'thread.started':
          if (event.task !== undefined) sink.lose('prompt');
          if (event.model !== undefined) sink.lose('model');
          return;
        case 'turn.started':
          if (pending !== undefined) flush(false);
          return request();
        case 'text.completed':
          if (event.parent_item_id !== undefined) return sink.lose('sub_agent');
          if (event.text.trim() === '') return;
          if (pending !== undefined && message === event.message_id) {
            pending += `\n${event.text}`;
            return;
          }
          if (pending !== undefined) flush(false);
          message = event.message_id;
          // Words after tools or other words are another reply of the model.
          if (toolsCalled) {
            sink.lose('turn_boundary');
            request();
          }
          pending = event.text;
          return;
        case 'permission.requested':
          flush(true);
          asked = event.what;
          return;
        case 'permission.resolved':
          return sink.line({
            type: 'tool_approval',
            tool: asked,
            args: {},
            approved: event.raw_decision ?? (event.decision === 'allowed' ? 'allow-once' : 'deny'),
          });
        case 'item.started':
          if (event.parent_item_id !== undefined) sink.lose('sub_agent');
          if (!isObject(event.args)) sink.lose('tool_args');
          flush(true);
          open.set(event.item_id, event);
          return sink.line({
            type: 'tool_start',
            tool: event.name,
            args: isObject(event.args) ? event.args : { value: event.args },
            toolCallId: event.item_id,
          });
        case 'item.output':
          return sink.line({
            type: 'tool_progress',
            tool: open.get(event.item_id)?.name ?? '',
            message: event.chunk,
            toolCallId: event.item_id,
          });
        case 'item.completed':
          return end(event);
        case 'file.edited':
          if (event.item_id === undefined || event.item_id !== editor) sink.lose('file_edit');
          return;
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
        case 'thread.completed':
          return finish(event.final_report as JsonObject);
        case 'text.delta':
        case 'reasoning.delta':
        case 'turn.completed':
        case 'usage.reported':
          return;
        default:
          return sink.lose(lossOf[event.type]);
      }
    },
    end() {},
  };
}
