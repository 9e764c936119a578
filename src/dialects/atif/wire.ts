import { z } from 'zod';
import { checkTrajectory } from './rules.ts';

const extra = z.record(z.string(), z.json());
const tokens = z.int().nonnegative();
const ids = z.array(z.int());

const TextPart = z.strictObject({ type: z.literal('text'), text: z.string() });
const ImagePart = z.strictObject({
  type: z.literal('image'),
  source: z.strictObject({ media_type: z.enum(['image/jpeg', 'image/png', 'image/gif', 'image/webp']), path: z.string().min(1) }),
});
const AudioPart = z.strictObject({
  type: z.literal('audio'),
  source: z.strictObject({
    media_type: z.string().regex(/^audio\/[\w.+-]{1,100}$/),
    path: z.string().min(1),
    duration_sec: z.number().nonnegative().optional(),
  }),
});
const Content = z.union([z.string(), z.array(z.discriminatedUnion('type', [TextPart, ImagePart, AudioPart]))]);

const SubagentRef = z
  .strictObject({
    trajectory_id: z.string().optional(),
    trajectory_path: z.string().optional(),
    session_id: z.string().optional(),
    extra: extra.optional(),
  })
  .refine((ref) => ref.trajectory_id !== undefined || ref.trajectory_path !== undefined, 'needs a trajectory_id or a trajectory_path');

const ToolCall = z.strictObject({ tool_call_id: z.string(), function_name: z.string(), arguments: extra, extra: extra.optional() });

const ObservationResult = z.strictObject({
  source_call_id: z.string().nullish(),
  content: Content.nullish(),
  subagent_trajectory_ref: z.array(SubagentRef).nullish(),
  extra: extra.nullish(),
});

const Metrics = z.strictObject({
  prompt_tokens: tokens.nullish(),
  completion_tokens: tokens.nullish(),
  cached_tokens: tokens.nullish(),
  cost_usd: z.number().nonnegative().nullish(),
  prompt_token_ids: ids.nullish(),
  completion_token_ids: ids.nullish(),
  logprobs: z.array(z.number()).nullish(),
  extra: extra.nullish(),
});

const FinalMetrics = z.strictObject({
  total_prompt_tokens: tokens.nullish(),
  total_completion_tokens: tokens.nullish(),
  total_cached_tokens: tokens.nullish(),
  total_cost_usd: z.number().nonnegative().nullish(),
  total_steps: z.int().nonnegative().nullish(),
  extra: extra.nullish(),
});

const Step = z.strictObject({
  step_id: z.int().positive(),
  timestamp: z.iso.datetime({ offset: true, local: true }).nullish(),
  source: z.enum(['system', 'user', 'agent']),
  message: Content,
  model_name: z.string().nullish(),
  reasoning_effort: z.union([z.string(), z.number()]).nullish(),
  reasoning_content: z.string().nullish(),
  tool_calls: z.array(ToolCall).nullish(),
  observation: z.strictObject({ results: z.array(ObservationResult) }).nullish(),
  metrics: Metrics.nullish(),
  llm_call_count: z.int().nonnegative().nullish(),
  is_copied_context: z.boolean().nullish(),
  extra: extra.nullish(),
});

const Agent = z.strictObject({
  name: z.string(),
  version: z.string(),
  model_name: z.string().nullish(),
  tool_definitions: z.array(extra).nullish(),
  extra: extra.nullish(),
});

const root = {
  schema_version: z.string().regex(/^ATIF-v1\.\d{1,3}$/),
  session_id: z.string().nullish(),
  trajectory_id: z.string().nullish(),
  agent: Agent,
  steps: z.array(Step).min(1),
  notes: z.string().nullish(),
  final_metrics: FinalMetrics.nullish(),
  continued_trajectory_ref: z.string().nullish(),
  extra: extra.nullish(),
};

/** What a trajectory has besides those of its sub-agents. */
const Own = z.strictObject(root);
export type Own = z.infer<typeof Own>;
export type Tree = Own & { subagent_trajectories?: Tree[] | null | undefined };

/** One document; unknown keys are allowed nowhere but in `extra`, `arguments` and `tool_definitions`. */
export const Trajectory: z.ZodType<Tree> = z
  .strictObject({ ...root, subagent_trajectories: z.lazy(() => z.array(Trajectory)).nullish() })
  .superRefine((tree, context) => checkTrajectory(tree, (path, message) => context.addIssue({ code: 'custom', path, message })));
