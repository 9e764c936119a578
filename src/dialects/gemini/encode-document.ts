import type { EventOf, EventRecord } from '../../events/event.ts';
import type { Encoder, EncoderSink, JsonObject } from '../dialect.ts';
import { lossOf } from '../losses.ts';
import { asText, count, list, object } from '../read.ts';
import { EndingWatch, ModelTotals } from './ending.ts';

interface ToolTotals {
  count: number;
  success: number;
  fail: number;
  durationMs: number;
  rejected: number;
}

/** One document holds them all, so their number is limited. */
const maxWarnings = 1000;

/** `--output-format json`: one object when all is over, with the last words and numbers for the rest. */
export function documentEncoder(sink: EncoderSink): Encoder {
  const ending = new EndingWatch();
  const totals = new ModelTotals();
  const names = new Map<string, string>();
  const tools = new Map<string, ToolTotals>();
  const warnings: string[] = [];
  /** The texts of the last message: earlier ones are not in this format. */
  let message: { id: string; texts: string[] } | undefined;
  let session = '';
  let heard = false;

  function complete(event: EventOf<'item.completed'>): void {
    const name = names.get(event.item_id);
    names.delete(event.item_id);
    if (name === undefined) return;
    const sum = tools.get(name) ?? { count: 0, success: 0, fail: 0, durationMs: 0, rejected: 0 };
    sum.count += 1;
    if (event.status === 'success') sum.success += 1;
    else sum.fail += 1;
    if (event.status === 'denied') sum.rejected += 1;
    sum.durationMs += event.duration_ms ?? 0;
    tools.set(name, sum);
    // Numbers alone are told: neither the input, the output nor the order of the calls.
    sink.lose('tool_args');
    if (event.output !== undefined || event.error !== undefined) sink.lose('tool_output');
    if (event.status === 'cancelled' || event.status === 'abandoned') sink.lose('tool_status');
  }

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

  function document(report: JsonObject): void {
    const metrics = object(report.metrics);
    const { status, error } = ending.end(report);
    if (!heard) return;
    if (metrics.cost !== undefined && metrics.cost_source === 'reported') sink.lose('cost');
    if (count(metrics.cache_write_tokens)) sink.lose('token_split');
    const { models, total } = totals.of(metrics);
    if (models.length === 0 && metrics.tokens_used !== undefined) models.push(['unknown', total]);
    // An interrupted run prints nothing; what is known of it is worth an object, which without an error would be a success.
    const why = error ?? { type: 'Error', message: asText(object(list(object(report.verdict).evidence)[0]).detail) };
    sink.line({
      session_id: session,
      response: message?.texts.join('\n') ?? '',
      stats: {
        models: Object.fromEntries(models.map(([model, usage]) => [model, modelMetrics(usage, count(metrics.turns) ?? 0)])),
        tools: toolMetrics(tools),
        files: { totalLinesAdded: 0, totalLinesRemoved: 0 },
      },
      ...(status === 'success' ? {} : { error: why }),
      ...(warnings.length === 0 ? {} : { warnings }),
    });
  }

  function record(event: EventRecord): void {
    ending.see(event);
    heard ||= !event.synthetic && event.source === 'agent' && !(event.type === 'log' && event.cause !== undefined);
    switch (event.type) {
      case 'thread.started':
        session = event.session_id ?? event.thread_id;
        if (event.task !== undefined) sink.lose('prompt');
        return;
      case 'item.started':
        names.set(event.item_id, event.name);
        return;
      case 'item.completed':
        return complete(event);
      case 'usage.reported':
        return totals.see(event);
      case 'log':
        if (event.stream !== 'agent') return sink.lose('log');
        return warn(event.text);
      case 'error':
        if (!event.fatal) warn(event.message);
        return;
      case 'limit.reached':
        if (event.limit !== 'turns') sink.lose('limit');
        return;
      case 'thread.completed':
        return document(event.final_report as JsonObject);
      case 'text.completed':
        return say(event);
      case 'text.delta':
      case 'reasoning.delta':
      case 'turn.started':
      case 'agent.finished':
        return;
      default:
        return sink.lose(lossOf[event.type]);
    }
  }

  return { record, end() {} };
}

function modelMetrics(usage: EventOf<'usage.reported'>, requests: number): JsonObject {
  const input = usage.input_tokens ?? 0;
  const output = usage.output_tokens ?? 0;
  const thoughts = usage.reasoning_tokens ?? 0;
  const cached = usage.cache_read_tokens ?? 0;
  return {
    api: { totalRequests: requests, totalErrors: 0, totalLatencyMs: 0 },
    tokens: {
      input: Math.max(0, input - cached),
      prompt: input,
      candidates: Math.max(0, output - thoughts),
      total: input + output,
      cached,
      thoughts,
      tool: 0,
    },
  };
}

function toolMetrics(tools: ReadonlyMap<string, ToolTotals>): JsonObject {
  const all = [...tools.values()];
  const sum = (field: keyof ToolTotals): number => all.reduce((total, each) => total + each[field], 0);
  return {
    totalCalls: sum('count'),
    totalSuccess: sum('success'),
    totalFail: sum('fail'),
    totalDurationMs: sum('durationMs'),
    totalDecisions: decisions(sum('rejected')),
    byName: Object.fromEntries(
      [...tools].map(([name, { rejected, ...numbers }]) => [name, { ...numbers, decisions: decisions(rejected) }]),
    ),
  };
}

function decisions(reject: number): JsonObject {
  return { accept: 0, reject, modify: 0, auto_accept: 0 };
}
