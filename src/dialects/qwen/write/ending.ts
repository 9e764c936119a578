import type { EventOf } from '../../../events/event.ts';
import type { EncoderSink, Json, JsonObject } from '../../dialect.ts';
import { asText, compact, count, list, object, string } from '../../read.ts';
import { codeOfError, unwrapApiError } from '../api-error.ts';
import { writeUsage } from './usage.ts';

/** What the encoder has gathered for the last line. */
interface Gathered {
  claim: EventOf<'agent.finished'>;
  limit: EventOf<'limit.reached'> | undefined;
  /** The process failed or the stream was cut: a reader of these lines alone would not know. */
  isBroken: boolean;
  totals: ReadonlyMap<string, EventOf<'usage.reported'>>;
  denials: JsonObject[];
  variant: string;
}

/** The fields of the `result` line. */
export function closing({ claim, limit, isBroken, totals, denials, variant }: Gathered, report: JsonObject, sink: EncoderSink): JsonObject {
  const metrics = object(report.metrics);
  if (metrics.cost !== undefined && metrics.cost_source === 'reported') sink.lose('cost');
  const stats = modelStats(totals, metrics, variant);
  const thoughts = stats === undefined ? (count(metrics.reasoning_tokens) ?? 0) : 0;
  const isSplitLost = thoughts + (count(metrics.cache_write_tokens) ?? 0) > 0;
  if (isSplitLost) sink.lose('token_split');
  const tokens = compact({
    input_tokens: count(metrics.input_tokens),
    output_tokens: count(metrics.output_tokens),
    cache_read_tokens: count(metrics.cache_read_tokens),
  });
  const isOk = claim.status === 'ok' && (!isBroken || object(report.verdict).class === 'success');
  return {
    subtype: isOk ? 'success' : limit?.limit === 'turns' ? 'error_max_turns' : 'error_during_execution',
    is_error: !isOk,
    duration_ms: claim.duration_ms ?? count(metrics.duration_ms) ?? 0,
    duration_api_ms: 0,
    num_turns: count(metrics.turns) ?? 0,
    ...(isOk ? { result: asText(report.message) } : {}),
    usage: writeUsage(tokens),
    permission_denials: denials,
    ...(stats === undefined ? {} : { stats }),
    ...(isOk ? {} : { error: failure(claim, report) }),
  };
}

function failure(claim: Gathered['claim'], report: JsonObject): JsonObject {
  const evidence = object(list(object(report.verdict).evidence)[0]);
  const said = claim.message ?? string(object(report.error_details).message) ?? string(evidence.detail) ?? '';
  const message = said.trim() === '' ? 'Unknown error' : said;
  const code = claim.status === 'cancelled' ? 'cancelled' : (claim.code ?? 'unknown');
  return { message, ...(codeOfError(unwrapApiError(message)) === code ? {} : { type: code }) };
}

/** Only json mode has `stats`, but nothing else on this wire tells models and thoughts apart. */
function modelStats(totals: Gathered['totals'], metrics: JsonObject, variant: string): JsonObject | undefined {
  const models: JsonObject = {};
  for (const [name, event] of totals) if (name !== '') models[name] = modelTokens(compact(event));
  const name = string(metrics.model_name);
  if (Object.keys(models).length === 0 && name !== undefined && (variant === 'json' || metrics.reasoning_tokens !== undefined))
    models[name] = modelTokens(metrics);
  return Object.keys(models).length === 0 ? undefined : { models };
}

function modelTokens(tokens: { [name: string]: Json }): JsonObject {
  const input = count(tokens.input_tokens) ?? 0;
  const output = count(tokens.output_tokens) ?? 0;
  return {
    tokens: compact({
      prompt: input,
      candidates: output,
      total: input + output,
      cached: count(tokens.cache_read_tokens),
      thoughts: count(tokens.reasoning_tokens),
    }),
  };
}
