import { z } from 'zod';
import { modelApis } from '../words/vocabulary.ts';
import { ErrorCode, FinishReason } from './words.ts';

const Text = z.string();
const Count = z.int().nonnegative();
const Tokens = z.number().nonnegative();
const Ms = z.number().nonnegative();

const request = {
  /** Counts from one, over the whole run. */
  request: Count,
  api: z.enum(modelApis),
  /** The provider, as the agent's own settings name it. */
  route: Text,
  /** The model that was asked. */
  model: Text.optional(),
  /** The agent asked beside its work: for a title, or which model to use. */
  is_side: z.boolean().optional(),
  /** Tools that the provider itself runs, such as a web search. */
  hosted_tools: z.array(Text).optional(),
};

/** A model is about to be asked, as seen on the way to its provider. */
export const ModelRequested = z.strictObject({
  type: z.literal('model.requested'),
  ...request,
  max_output_tokens: Count.optional(),
  tool_count: Count.optional(),
  request_bytes: Count,
});

/** What passed between the agent and its models, to be replayed: lines of a recording, without secrets. */
export const WireRecorded = z.strictObject({ type: z.literal('wire.recorded'), lines: z.json() });

/** What came back, as seen on the way to the agent. */
export const ModelResponded = z.strictObject({
  type: z.literal('model.responded'),
  ...request,
  /** The model that answered. */
  model_served: Text.optional(),
  /** The provider's own; absent: it never answered. */
  status: z.int().optional(),
  /** `refused`: Runwire did not let it pass. */
  ended: z.enum(['complete', 'cut_by_provider', 'cut_by_agent', 'refused']),
  finish_reason: FinishReason.optional(),
  raw_finish_reason: Text.optional(),
  /** How much of what was used is known; `partial`: what was counted up to the cut. Absent: no model worked on it. */
  usage: z.enum(['final', 'partial', 'unknown']).optional(),
  input_tokens: Tokens.optional(),
  output_tokens: Tokens.optional(),
  reasoning_tokens: Tokens.optional(),
  cache_read_tokens: Tokens.optional(),
  cache_write_tokens: Tokens.optional(),
  cache_write_1h_tokens: Tokens.optional(),
  web_searches: Count.optional(),
  service_tier: Text.optional(),
  cost_usd: z.number().nonnegative().optional(),
  /** The cost is tokens × price, not a figure from the provider. */
  cost_computed: z.boolean().optional(),
  code: ErrorCode.optional(),
  error: Text.optional(),
  retry_after_ms: Ms.optional(),
  first_byte_ms: Ms.optional(),
  duration_ms: Ms,
  request_bytes: Count,
  response_bytes: Count,
});
