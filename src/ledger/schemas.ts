import { z } from 'zod';
import { rowShape } from '../contract/row.ts';
import { ItemStatus } from '../events/event.ts';
import { RunOutcome, ToolCall } from '../outcome/outcome.ts';
import { periods } from '../stores/budget-store.ts';

const text = z.string();
/** Milliseconds since the epoch. */
const at = z.number();
const amount = z.number().nonnegative().optional();
const count = z.int().nonnegative();
const VerdictClass = RunOutcome.shape.verdict.shape.class;

const summary = {
  ...rowShape({ z, outcome: RunOutcome }),
  children: z
    .strictObject({
      runs: count,
      running: count,
      cost: amount,
      cost_known: count,
      cost_is: RunOutcome.shape.metrics.shape.cost_is,
      input_tokens: amount,
      output_tokens: amount,
    })
    .optional(),
};

const Attempt = z.strictObject({
  agent: z.string().optional(),
  number: z.int(),
  status: RunOutcome.shape.status,
  class: VerdictClass,
  session_id: text.optional(),
  started_at: at.optional(),
  duration_ms: amount,
  tokens_used: amount,
  cost: amount,
  reason: text.optional(),
});

const Timeline = z.strictObject({
  name: text,
  status: ItemStatus.optional(),
  start_ms: amount,
  duration_ms: amount,
  about: text.optional(),
});

/** A run as "runs export" writes it; "runs show" adds the timeline of its tape. */
export const RunRecordSchema = z.strictObject({
  ...summary,
  prompt: text,
  outcome: RunOutcome.extend({ tool_calls: z.array(ToolCall.omit({ inputs: true, outputs: true })) }).optional(),
  attempts: z.array(Attempt),
  owner: z
    .strictObject({ host: text, machine: text.optional(), boot: text, pid: z.int(), process_started: text })
    .optional(),
  reporter: text.optional(),
  key: text.optional(),
  timeline: z.array(Timeline).optional(),
});

const Change = z.strictObject({ kind: z.enum(['same', 'removed', 'added']), value: z.array(text) });
const share = z.number().min(0).max(1);
const value = z.union([text, z.number()]).optional();

/** By their names in `runwire schema`. */
export const runsSchemas = {
  run: RunRecordSchema,
  /** `depth` comes with `--tree`: 0 at the top. */
  'run-summary': z.strictObject({ ...summary, depth: count.optional() }),
  'run-stats': z.strictObject({
    by: text,
    group: text.optional(),
    subgroup: text.optional(),
    runs: count,
    running: count,
    succeeded: count,
    success_rate: share.optional(),
    cost: amount,
    cost_known: count,
    unpriced: count,
    cost_at_least: count,
    cost_complete: z.boolean(),
    cost_p50: amount,
    cost_p90: amount,
    cost_p99: amount,
    input_tokens: amount,
    output_tokens: amount,
    cache_read_tokens: amount,
    duration_p50: amount,
    duration_p90: amount,
    duration_p99: amount,
    duration_ms: amount,
    duration_known: count,
    mean_duration_ms: amount,
    longest_ms: amount,
    claims_known: count,
    claims_checked: count.optional(),
    claims_contradicted: count.optional(),
    contradicted_rate: share.optional(),
    contradicted_low: share.optional(),
    contradicted_high: share.optional(),
    tool_calls: count,
    first_started_at: at,
    last_started_at: at,
  }),
  budget: z.strictObject({
    name: text,
    per: z.enum(periods),
    usd: amount,
    tokens: amount,
    since: at.optional(),
    until: at.optional(),
    spent: z.strictObject({ usd: z.number(), tokens: z.number() }),
    reserved: z.strictObject({ usd: z.number(), tokens: z.number() }),
    runs: count,
    running: count,
    unpriced: count,
  }),
  'run-diff': z.strictObject({
    a: text,
    b: text,
    same_class: z.boolean(),
    fields: z.array(z.strictObject({ field: text, a: value, b: value })),
    tools: z.array(Change),
    files: z.array(Change),
    answer: z.array(Change),
  }),
  'run-finding': z.strictObject({ level: z.enum(['problem', 'warning']), where: text, what: text }),
} as const;
