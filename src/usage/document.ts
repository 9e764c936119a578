import { z } from 'zod';
import { groupings } from './groupings.ts';

const count = z.int().min(0);
const figures = {
  calls: count.describe('Model calls; those that are told only as a total are not counted'),
  input_tokens: count.describe('With what came from a cache and what was written to it'),
  output_tokens: count.describe('With the reasoning'),
  reasoning_tokens: count.optional(),
  cache_read_tokens: count,
  cache_write_tokens: count,
  cost: z.number().optional().describe('In USD; absent: nothing of it has a price'),
  cost_is: z.literal('at_least').optional().describe('The cost is a lower bound'),
  unpriced_calls: count.optional().describe('Calls that have no price: the cost does not include them'),
};

const Row = z.strictObject({
  group: z.string().describe('The day, the first day of the week, the month, or the name of what the rows are'),
  agent: z.string().optional(),
  project: z.string().optional(),
  sub_agent: z.string().optional().describe('With --own-only: the sub-agent of the session'),
  first_at: z.number().describe('When its first call was made (ms since the epoch)'),
  last_at: z.number(),
  agents: z.array(z.string()),
  sessions: count,
  ...figures,
  models: z.array(z.strictObject({ model: z.string().optional(), ...figures })),
});

const Block = Row.extend({
  starts_at: z.number(),
  ends_at: z.number(),
  is_active: z.boolean(),
  tokens_per_minute: z.number().optional(),
  cost_per_hour: z.number().optional(),
  projected_tokens: z.number().optional(),
  projected_cost: z.number().optional(),
});

const Total = z.strictObject(figures);

/** What `runwire usage --json` prints. */
export const UsageDocument = z.strictObject({
  by: z.enum([...groupings, 'blocks']),
  time_zone: z.string(),
  since: z.string().optional(),
  until: z.string().optional(),
  rows: z.array(z.union([Row, Block])),
  total: Total,
  unpriced: z.array(z.strictObject({ model: z.string().optional(), ...figures })).describe('Models without a price'),
  incomplete: z
    .array(z.strictObject({ what: z.string(), path: z.string().optional(), count: count.optional() }))
    .describe('What could not be counted, or only in part'),
  repeated_calls: count.describe('Calls that stand in several files: each was counted once, and so many were left out'),
  files: count,
  prices: z.strictObject({ name: z.string(), version: z.string(), as_of: z.string() }),
});
export type UsageDocument = z.infer<typeof UsageDocument>;
