import type { EventOf, EventRecord } from '../../../events/event.ts';
import type { RunOutcome } from '../../../outcome/outcome.ts';
import type { Encoder, EncoderSink } from '../../dialect.ts';
import { lossOf } from '../../kit/losses.ts';
import { isObject } from '../../../json/read.ts';
import { documentEncoder } from './document.ts';
import { Ending } from './ending.ts';
import { Lines } from './lines.ts';
import { Tools } from './tools.ts';
import { loseUsage, Usage, writeUsage } from './usage.ts';

/** How many errors may wait for the end of the run. */
const maxErrors = 1000;

export function encoder(sink: EncoderSink, variant: string): Encoder {
  return variant === 'json' ? documentEncoder(sink) : streamEncoder(sink);
}

/** `--output-format stream-json`. */
function streamEncoder(sink: EncoderSink): Encoder {
  const lines = new Lines(sink);
  const tools = new Tools(sink, lines);
  const usage = new Usage();
  const ending = new Ending();
  /** An error line marks the run as failed, so errors wait until its end shows whether to write them as errors or warnings. */
  const errors: { message: string; timestamp: string | null }[] = [];
  let spoken: { message: string; block: string } | undefined;
  let turns = 0;
  let endedAt: string | null = null;

  function say(event: EventOf<'text.delta'> & EventRecord): void {
    if (event.parent_item_id !== undefined) return;
    tools.flush();
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
    lines.write('message', event.timestamp, { role: 'assistant', content, delta: true });
  }

  function fail({ message, timestamp }: EventOf<'error'> & EventRecord): void {
    if (errors.length === maxErrors) {
      // The last error says why the run ended.
      errors.pop();
      sink.lose('error');
    }
    errors.push({ message, timestamp });
  }

  function record(event: EventRecord): void {
    ending.see(event);
    switch (event.type) {
      case 'thread.started':
        return lines.start(event);
      case 'prompt.submitted':
        return lines.prompt(event);
      case 'turn.started':
        tools.flush();
        turns += 1;
        if (spoken !== undefined && turns > 1) sink.lose('turn_boundary');
        return;
      case 'turn.completed':
        return tools.flush();
      case 'text.delta':
        return say(event);
      case 'text.completed':
        if (event.parent_item_id !== undefined) sink.lose('sub_agent');
        return;
      case 'reasoning.completed':
        return sink.lose(event.parent_item_id === undefined ? 'reasoning' : 'sub_agent');
      case 'item.started':
        spoken = undefined;
        return tools.start(event);
      case 'item.completed':
        return tools.end(event);
      case 'file.edited':
        return tools.edit(event);
      case 'usage.reported':
        return usage.see(event);
      case 'error':
        if (event.fatal) return fail(event);
        return lines.write('error', event.timestamp, { severity: 'warning', message: event.message });
      case 'log':
        if (event.stream !== 'agent') return sink.lose('log');
        return lines.write('error', event.timestamp, { severity: 'warning', message: event.text });
      case 'limit.reached':
        if (event.limit !== 'turns') sink.lose('limit');
        return;
      case 'line.unknown':
        if (event.dialect !== 'gemini' || !isObject(event.wire)) return sink.lose('unknown_line');
        return sink.line(event.wire);
      case 'thread.completed':
        endedAt = event.timestamp;
        return;
      case 'reasoning.delta':
      case 'agent.finished':
        // Reasoning is counted as lost once; the claim is in the closing line.
        return;
      default:
        return sink.lose(lossOf[event.type]);
    }
  }

  function end(outcome: RunOutcome): void {
    tools.flush();
    const { metrics } = outcome;
    const { status, error } = ending.write(outcome);
    for (const { message, timestamp } of errors)
      lines.write('error', timestamp, { severity: status === 'success' ? 'warning' : 'error', message });
    if (status === 'none') {
      if (metrics.tokens_used !== undefined) sink.lose('usage');
      return;
    }
    loseUsage(sink, metrics);
    const { models, total } = usage.of(outcome);
    const isTold = error !== undefined && error.type === 'unknown' && error.message === errors.at(-1)?.message;
    lines.write('result', endedAt, {
      status,
      ...(error === undefined || isTold ? {} : { error }),
      stats: {
        ...writeUsage(total),
        duration_ms: ending.duration ?? (status === 'success' ? (metrics.duration_ms ?? 0) : 0),
        tool_calls: metrics.tool_calls_count ?? 0,
        models: Object.fromEntries(models.map(([model, tokens]) => [model, writeUsage(tokens)])),
      },
    });
  }

  return { record, end };
}
