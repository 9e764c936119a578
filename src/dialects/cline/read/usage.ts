import type { JsonObject } from '../../../json/json.ts';
import { filled, object } from '../../../json/read.ts';
import type { DecoderSink } from '../../dialect.ts';
import type { Tokens } from '../../kit/tokens.ts';
import { camelFields, type Counting, reportUsage, tokensIn } from '../../kit/usage.ts';

/** A cost of 0 means that no price is known. */
const unknownIfZero = ['cache_read_tokens', 'cache_write_tokens', 'cost_usd'] as const;
const ofCall: Counting = { fields: { ...camelFields, cost: 'cost_usd' }, unknownIfZero };
const ofRun: Counting = { fields: { ...camelFields, totalCost: 'cost_usd' }, unknownIfZero };

/** One model call. The line also has the totals so far. */
export function readUsage(sink: DecoderSink, event: JsonObject): void {
  report(sink, 'step', tokensIn(ofCall, event));
}

/** The whole run, including its sub-agents if the line counts them. */
export function readTotals(sink: DecoderSink, { aggregateUsage, usage, model }: JsonObject): void {
  report(sink, 'thread', tokensIn(ofRun, object(aggregateUsage ?? usage)), filled(object(model).id));
}

/** A line without input and output counts nothing, whatever else it has. */
function report(sink: DecoderSink, scope: 'step' | 'thread', tokens: Tokens, model?: string): void {
  if (tokens.input_tokens || tokens.output_tokens) reportUsage(sink, scope, tokens, { model });
}
