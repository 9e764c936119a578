import { z } from 'zod';
import { minorOf } from './words.ts';

const extra = z.record(z.string(), z.json());
const tokens = z.int().nonnegative();
const tokenIds = z.array(z.int());

const TextPart = z.strictObject({ type: z.literal('text'), text: z.string() });
const ImagePart = z.strictObject({
  type: z.literal('image'),
  source: z.strictObject({
    media_type: z.enum(['image/jpeg', 'image/png', 'image/gif', 'image/webp']),
    path: z.string().min(1),
  }),
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
  .refine(
    (ref) => ref.trajectory_id !== undefined || ref.trajectory_path !== undefined,
    'needs a trajectory_id or a trajectory_path',
  );

export const ToolCall = z.strictObject({
  tool_call_id: z.string(),
  function_name: z.string(),
  arguments: extra,
  extra: extra.optional(),
});

export const ObservationResult = z.strictObject({
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
  prompt_token_ids: tokenIds.nullish(),
  completion_token_ids: tokenIds.nullish(),
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

type Step = z.infer<typeof Step>;
export const Step = z.strictObject({
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

/** A trajectory without those of its sub-agents. */
export const Own = z.strictObject(root);
export type Own = z.infer<typeof Own>;
export type Tree = Own & { subagent_trajectories?: Tree[] | null | undefined };

/** One document; unknown keys are allowed only in `extra`, `arguments` and `tool_definitions`. */
export const Trajectory: z.ZodType<Tree> = z
  .strictObject({ ...root, subagent_trajectories: z.lazy(() => z.array(Trajectory)).nullish() })
  .superRefine((tree, context) =>
    checkTrajectory(tree, (path, message) => context.addIssue({ code: 'custom', path, message })),
  );

type Path = (string | number)[];
type Blame = (path: Path, message: string) => void;

const agentOnly = ['model_name', 'reasoning_effort', 'reasoning_content', 'tool_calls', 'metrics'] as const;

/** What a schema cannot express: how the parts of one trajectory fit together. Sub-agents' trajectories are checked separately. */
function checkTrajectory(tree: Tree, blame: Blame): void {
  const minor = minorOf(tree.schema_version) ?? 0;
  if (minor <= 6 && !given(tree.session_id)) blame(['session_id'], 'is required before ATIF-v1.7');
  const children = childrenOf(tree, blame);
  for (const [index, step] of tree.steps.entries()) {
    if (step.step_id !== index + 1)
      blame(['steps', index, 'step_id'], `must be ${index + 1}: steps count from 1 without gaps`);
    checkSource(step, ['steps', index], blame);
    checkResults(step, ['steps', index], children, blame);
    checkTokens(step, ['steps', index], blame);
  }
  const total = tree.final_metrics?.total_steps;
  if (given(total) && total !== tree.steps.length && !given(tree.notes))
    blame(['notes'], `must explain why total_steps is ${total} and there are ${tree.steps.length} steps`);
  const { total_prompt_tokens: prompt, total_cached_tokens: cached } = tree.final_metrics ?? {};
  if (given(prompt) && given(cached) && cached > prompt)
    blame(['final_metrics', 'total_cached_tokens'], 'must not exceed total_prompt_tokens, which holds it');
  checkVersion(tree, minor, blame);
}

function given<T>(value: T | null | undefined): value is T {
  return value !== null && value !== undefined;
}

function childrenOf(tree: Tree, blame: Blame): Set<string> {
  const ids = new Set<string>();
  for (const [index, child] of (tree.subagent_trajectories ?? []).entries()) {
    const id = child.trajectory_id;
    const path = ['subagent_trajectories', index, 'trajectory_id'];
    if (!given(id)) blame(path, 'is required of an embedded trajectory');
    else if (ids.has(id)) blame(path, `${JSON.stringify(id)} names another one, too`);
    else ids.add(id);
  }
  return ids;
}

function checkSource(step: Step, path: Path, blame: Blame): void {
  if (step.source === 'agent') {
    if (step.llm_call_count !== 0) return;
    for (const field of ['metrics', 'reasoning_content'] as const)
      if (given(step[field])) blame([...path, field], 'cannot be there where llm_call_count is 0');
    return;
  }
  for (const field of agentOnly)
    if (given(step[field])) blame([...path, field], `is for agent steps, not for those of a ${step.source}`);
  if (step.source === 'user' && given(step.observation))
    blame([...path, 'observation'], 'is for agent and system steps');
}

function checkResults(step: Step, path: Path, children: ReadonlySet<string>, blame: Blame): void {
  const calls = new Set<string>();
  for (const [index, { tool_call_id }] of (step.tool_calls ?? []).entries()) {
    if (calls.has(tool_call_id))
      blame([...path, 'tool_calls', index, 'tool_call_id'], 'names another call of this step, too');
    calls.add(tool_call_id);
  }
  for (const [index, result] of (step.observation?.results ?? []).entries()) {
    const place = [...path, 'observation', 'results', index];
    const { source_call_id: source } = result;
    if (given(source) && !calls.has(source))
      blame([...place, 'source_call_id'], `${JSON.stringify(source)} is no tool_call_id of this step`);
    for (const [at, ref] of (result.subagent_trajectory_ref ?? []).entries()) {
      const isLost =
        ref.trajectory_id !== undefined && ref.trajectory_path === undefined && !children.has(ref.trajectory_id);
      if (isLost)
        blame([...place, 'subagent_trajectory_ref', at, 'trajectory_id'], 'is none of the embedded trajectories');
    }
  }
}

function checkTokens({ metrics }: Step, path: Path, blame: Blame): void {
  const { prompt_tokens: prompt, cached_tokens: cached } = metrics ?? {};
  if (given(prompt) && given(cached) && cached > prompt)
    blame([...path, 'metrics', 'cached_tokens'], 'must not exceed prompt_tokens, which holds it');
}

/** The minor version that introduced a field. */
const since = {
  root: { extra: 1, trajectory_id: 7, subagent_trajectories: 7 },
  agent: { tool_definitions: 5 },
  step: { is_copied_context: 5, llm_call_count: 7 },
  metrics: { completion_token_ids: 3, prompt_token_ids: 4 },
  call: { extra: 7 },
  result: { extra: 7 },
} as const;

function checkVersion(tree: Tree, minor: number, blame: Blame): void {
  if (minor >= 8) return;
  const check = (fields: Readonly<Record<string, number>>, value: object | null | undefined, path: Path): void => {
    if (!given(value)) return;
    for (const [field, first] of Object.entries(fields))
      if (first > minor && given((value as Record<string, unknown>)[field]))
        blame([...path, field], `came with ATIF-v1.${first}, and this is ${tree.schema_version}`);
  };
  check(since.root, tree, []);
  check(since.agent, tree.agent, ['agent']);
  for (const [index, step] of tree.steps.entries()) {
    const path = ['steps', index];
    check(since.step, step, path);
    check(since.metrics, step.metrics, [...path, 'metrics']);
    if (minor < 2 && step.source === 'system' && given(step.observation))
      blame([...path, 'observation'], 'of a system step came with ATIF-v1.2');
    checkParts(step.message, minor, [...path, 'message'], blame);
    if (minor < 7)
      for (const [at, call] of (step.tool_calls ?? []).entries()) check(since.call, call, [...path, 'tool_calls', at]);
    for (const [at, result] of (step.observation?.results ?? []).entries()) {
      check(since.result, result, [...path, 'observation', 'results', at]);
      checkParts(result.content, minor, [...path, 'observation', 'results', at, 'content'], blame);
    }
  }
}

function checkParts(content: Step['message'] | null | undefined, minor: number, path: Path, blame: Blame): void {
  if (!Array.isArray(content)) return;
  if (minor < 6) blame(path, 'parts came with ATIF-v1.6');
  for (const [index, part] of content.entries())
    if (part.type === 'audio') blame([...path, index], 'audio came with ATIF-v1.8');
}
