import type { EventOf, EventRecord } from '../../../events/event.ts';
import type { RunOutcome } from '../../../outcome/outcome.ts';
import type { Encoder, EncoderSink } from '../../dialect.ts';
import { lossOf } from '../../kit/losses.ts';
import { Ending, reasonOf } from './ending.ts';
import { ToolCounts } from './tools.ts';
import { loseUsage, Usage, writeDocumentUsage } from './usage.ts';

/** One document holds them all, so their number is limited. */
const maxWarnings = 1000;

/** `--output-format json`: one object at the end, with the final text, and only numbers for the rest. */
export function documentEncoder(sink: EncoderSink): Encoder {
  const ending = new Ending();
  const usage = new Usage();
  let tools = new ToolCounts(sink);
  const warnings: string[] = [];
  /** The texts of the last message: this format has no earlier ones. */
  let message: { id: string; texts: string[] } | undefined;
  let session = '';
  let heard = false;

  function say(event: EventOf<'text.completed'>): void {
    if (event.parent_item_id !== undefined) return sink.lose('sub_agent');
    if (message?.id === event.message_id) return void message.texts.push(event.text);
    if (message !== undefined) sink.lose('text');
    message = { id: event.message_id, texts: [event.text] };
  }

  function warn(text: string): void {
    if (warnings.length < maxWarnings) warnings.push(text);
    else sink.lose('log');
  }

  /** One document describes one run, the last: calls of earlier runs would be counted for or against it. */
  function forgetCalls(): void {
    if (tools.isEmpty) return;
    sink.lose('tool_call');
    tools = new ToolCounts(sink);
  }

  function record(event: EventRecord): void {
    if (ending.see(event) || (event.type === 'thread.started' && session !== '')) forgetCalls();
    heard ||= !event.synthetic && event.source === 'agent' && !(event.type === 'log' && event.cause !== undefined);
    switch (event.type) {
      case 'thread.started':
        session = event.session_id ?? event.thread_id;
        if (event.task !== undefined) sink.lose('prompt');
        return;
      case 'item.started':
        return tools.start(event);
      case 'item.completed':
        return tools.end(event);
      case 'usage.reported':
        return usage.see(event);
      case 'log':
        if (event.stream !== 'agent') return sink.lose('log');
        return warn(event.text);
      case 'error':
        if (!event.fatal) warn(event.message);
        return;
      case 'limit.reached':
        if (event.limit !== 'turns') sink.lose('limit');
        return;
      case 'text.completed':
        return say(event);
      case 'text.delta':
      case 'reasoning.delta':
      case 'turn.started':
      case 'agent.finished':
      case 'thread.completed':
        return;
      default:
        return sink.lose(lossOf[event.type]);
    }
  }

  function end(outcome: RunOutcome): void {
    if (!heard) return;
    const { metrics, verdict } = outcome;
    const { status, error } = ending.write(outcome);
    loseUsage(sink, metrics);
    const { models, total } = usage.of(outcome);
    if (models.length === 0 && metrics.tokens_used !== undefined) models.push(['unknown', total]);
    // An interrupted run prints nothing; we still write what is known, with an error, because without one it would be a success.
    const why = error ?? { type: 'Error', message: reasonOf(verdict) };
    sink.line({
      session_id: session,
      response: message?.texts.join('\n') ?? '',
      stats: {
        models: Object.fromEntries(models.map(([model, tokens]) => [model, writeDocumentUsage(tokens, metrics.turns)])),
        tools: tools.write(),
        files: { totalLinesAdded: 0, totalLinesRemoved: 0 },
      },
      ...(status === 'success' ? {} : { error: why }),
      ...(warnings.length === 0 ? {} : { warnings }),
    });
  }

  return { record, end };
}
