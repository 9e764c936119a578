import type { EventOf, EventRecord } from '../../events/event.ts';
import type { Encoder, EncoderSink, JsonObject } from '../dialect.ts';
import { lossOf } from '../losses.ts';
import { asText, count, isObject, object } from '../read.ts';
import { documentEncoder } from './encode-document.ts';
import { EndingWatch, ModelTotals } from './ending.ts';
import { editedFile } from './tools.ts';

export function encoder(sink: EncoderSink, variant: string): Encoder {
  return variant === 'json' ? documentEncoder(sink) : streamEncoder(sink);
}

function streamEncoder(sink: EncoderSink): Encoder {
  const ending = new EndingWatch();
  const totals = new ModelTotals();
  const started = new Map<string, EventOf<'item.started'>>();
  /** Results are printed together when the whole batch of calls is done. */
  let results: JsonObject[] = [];
  /** An error line makes the run a failure, so whether it is one is said when the run's end is known. */
  let errors: { message: string; timestamp: string | null }[] = [];
  let prompt: string | undefined;
  let edited: string | undefined;
  let spoken: { message: string; block: string } | undefined;
  let turns = 0;
  let timeless = false;
  /** The introduction of a thread that never introduced itself waits until there is something to introduce. */
  let introduction: (() => void) | undefined;

  function line(type: string, timestamp: string | null, fields: JsonObject): void {
    const first = introduction;
    introduction = undefined;
    first?.();
    if (timestamp !== null) return sink.line({ type, timestamp, ...fields });
    if (!timeless) sink.lose('time');
    timeless = true;
    sink.line({ type, ...fields });
  }

  function flushResults(): void {
    const lines = results;
    results = [];
    for (const each of lines) sink.line(each);
  }

  function say(event: EventOf<'text.delta'> & EventRecord): void {
    if (event.parent_item_id !== undefined) return;
    flushResults();
    let content = event.text;
    if (spoken !== undefined && spoken.block !== event.block_id) {
      // Texts without a call between them run together on this wire.
      if (spoken.message === event.message_id) content = `\n${content}`;
      else {
        content = `\n\n${content}`;
        sink.lose('text');
      }
    }
    spoken = { message: event.message_id, block: event.block_id };
    line('message', event.timestamp, { role: 'assistant', content, delta: true });
  }

  function complete(event: EventOf<'item.completed'> & EventRecord): void {
    const start = started.get(event.item_id);
    // A call that never ended stays open on this wire too.
    if (start === undefined || (event.synthetic && event.status === 'abandoned')) return;
    started.delete(event.item_id);
    if (event.exit_code !== undefined) sink.lose('exit_code');
    if (event.status === 'cancelled' || event.status === 'abandoned') sink.lose('tool_status');
    edited = event.status === 'success' ? editedFile(start.name, object(start.args))?.path : undefined;
    const output = event.output === undefined ? undefined : asText(event.output);
    const failed = event.status !== 'success';
    results.push({
      type: 'tool_result',
      ...(event.timestamp === null ? {} : { timestamp: event.timestamp }),
      tool_id: event.item_id,
      status: failed ? 'error' : 'success',
      ...(output === undefined ? {} : { output }),
      ...(failed
        ? {
            error: {
              type: event.status === 'denied' ? 'policy_violation' : 'execution_failed',
              ...(event.error === undefined ? {} : { message: event.error }),
            },
          }
        : {}),
    });
  }

  function end(event: EventRecord & EventOf<'thread.completed'>): void {
    flushResults();
    const report = event.final_report as JsonObject;
    const metrics = object(report.metrics);
    const { status, error } = ending.end(report);
    for (const each of errors) {
      line('error', each.timestamp, { severity: status === 'success' ? 'warning' : 'error', message: each.message });
    }
    if (status === 'none') {
      if (metrics.tokens_used !== undefined) sink.lose('usage');
      return;
    }
    if (metrics.cost !== undefined && metrics.cost_source === 'reported') sink.lose('cost');
    if (count(metrics.cache_write_tokens)) sink.lose('token_split');
    const { models, total } = totals.of(metrics);
    const told = error !== undefined && error.type === 'unknown' && error.message === errors.at(-1)?.message;
    line('result', event.timestamp, {
      status,
      ...(error === undefined || told ? {} : { error }),
      stats: {
        ...tokensOf(total),
        duration_ms: ending.claim?.duration_ms ?? (status === 'success' ? (count(metrics.duration_ms) ?? 0) : 0),
        tool_calls: count(metrics.tool_calls_count) ?? 0,
        models: Object.fromEntries(models.map(([model, usage]) => [model, tokensOf(usage)])),
      },
    });
  }

  function introduce(event: EventOf<'thread.started'> & EventRecord): void {
    line('init', event.timestamp, { session_id: event.session_id ?? event.thread_id, model: event.model ?? '' });
    if (event.task === undefined) return;
    prompt = event.task;
    line('message', event.timestamp, { role: 'user', content: event.task });
  }

  function record(event: EventRecord): void {
    ending.see(event);
    switch (event.type) {
      case 'thread.started':
        if (!event.synthetic) return introduce(event);
        introduction = () => introduce(event);
        return;
      case 'prompt.submitted':
        if (event.text === prompt) return void (prompt = undefined);
        return line('message', event.timestamp, { role: 'user', content: event.text });
      case 'turn.started':
        flushResults();
        turns += 1;
        if (spoken !== undefined && turns > 1) sink.lose('turn_boundary');
        return;
      case 'turn.completed':
        return flushResults();
      case 'text.delta':
        return say(event);
      case 'text.completed':
        if (event.parent_item_id !== undefined) sink.lose('sub_agent');
        return;
      case 'reasoning.completed':
        return sink.lose(event.parent_item_id === undefined ? 'reasoning' : 'sub_agent');
      case 'item.started':
        if (event.parent_item_id !== undefined) sink.lose('sub_agent');
        spoken = undefined;
        started.set(event.item_id, event);
        return line('tool_use', event.timestamp, { tool_name: event.name, tool_id: event.item_id, parameters: event.args });
      case 'item.completed':
        return complete(event);
      case 'file.edited':
        if (event.path !== edited) sink.lose('file_edit');
        return;
      case 'usage.reported':
        return totals.see(event);
      case 'error':
        if (event.fatal) return void errors.push({ message: event.message, timestamp: event.timestamp });
        return line('error', event.timestamp, { severity: 'warning', message: event.message });
      case 'log':
        if (event.stream !== 'agent') return sink.lose('log');
        return line('error', event.timestamp, { severity: 'warning', message: event.text });
      case 'limit.reached':
        if (event.limit !== 'turns') sink.lose('limit');
        return;
      case 'line.unknown':
        if (event.dialect !== 'gemini' || !isObject(event.wire)) return sink.lose('unknown_line');
        return sink.line(event.wire);
      case 'thread.completed':
        return end(event);
      case 'reasoning.delta':
      case 'agent.finished':
        // The whole reasoning is counted once; the claim is the closing line.
        return;
      default:
        return sink.lose(lossOf[event.type]);
    }
  }

  return { record, end() {} };
}

function tokensOf(usage: EventOf<'usage.reported'>): JsonObject {
  const input = usage.input_tokens ?? 0;
  const output = usage.output_tokens ?? 0;
  const cached = usage.cache_read_tokens ?? 0;
  return {
    total_tokens: input + output,
    input_tokens: input,
    output_tokens: Math.max(0, output - (usage.reasoning_tokens ?? 0)),
    cached,
    input: Math.max(0, input - cached),
  };
}
