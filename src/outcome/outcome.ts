import { z } from 'zod';
import { Claim } from '../claims/schema.ts';
import { verdictClasses } from '../failure.ts';
import { ErrorCode, FileOperation, Verified } from '../events/event.ts';
import { isolations } from '../words/vocabulary.ts';

const tokens = z.number().nonnegative().optional();
const ms = z.number().nonnegative().optional();

export const Artifact = z.strictObject({
  path: z.string(),
  operation: FileOperation,
  size: z.number().nonnegative().optional(),
  type: z.enum(['file', 'directory']).optional(),
});

export const ToolCall = z.strictObject({
  name: z.string(),
  inputs: z.json(),
  outputs: z.string().optional(),
  duration_ms: ms,
  status: z.enum(['completed', 'error', 'cancelled']),
  /** Why a call did not complete, where the agent reports more than "error". */
  reason: z.enum(['denied', 'abandoned']).optional(),
});

/** What one model of a run used; the field names are those of the metrics. */
export const ModelUsage = z.strictObject({
  model_name: z.string().optional(),
  input_tokens: tokens,
  output_tokens: tokens,
  reasoning_tokens: tokens,
  cache_read_tokens: tokens,
  cache_write_tokens: tokens,
  cost: z.number().nonnegative().optional(),
});

/** What a run used in a quarter of an hour, or a longer time in a run of months; the field names are those of the metrics. */
const UsagePart = z.strictObject({
  /** When it began (ms since the epoch). */
  at: z.int(),
  input_tokens: tokens,
  output_tokens: tokens,
  reasoning_tokens: tokens,
  cache_read_tokens: tokens,
  cache_write_tokens: tokens,
  cost: z.number().nonnegative().optional(),
});

/** What one agent of a run that fell back on others did; the field names are those of the metrics. */
export const AgentShare = z.strictObject({
  agent: z.string().optional(),
  model_name: z.string().optional(),
  class: z.enum(verdictClasses),
  code: ErrorCode.optional(),
  reason: z.string(),
  tokens_used: tokens,
  cost: z.number().nonnegative().optional(),
});

export const ErrorDetails = z.strictObject({
  type: z.string().optional(),
  message: z.string().optional(),
  stack_trace: z.string().optional(),
  file_path: z.string().optional(),
  line_number: z.int().optional(),
});

const ChildrenUsage = z.strictObject({
  runs: z.int().positive(),
  tokens_used: tokens,
  input_tokens: tokens,
  output_tokens: tokens,
  /** The sum over the runs that reported a cost; `cost_known` says how many did. */
  cost: z.number().nonnegative().optional(),
  cost_known: z.int().nonnegative(),
  /** Some of the costs are lower bounds, so the sum is one too. */
  cost_is: z.literal('at_least').optional(),
});

/** What was seen on the way between the agent and its models; the metrics are made of it. */
const WireReport = z.strictObject({
  /** How often a model was asked. */
  requests: z.int().nonnegative(),
  /** Those beside the work itself, such as for a title. */
  side: z.int().positive().optional(),
  failed: z.int().positive().optional(),
  /** Those that Runwire did not let pass; not among the requests. */
  refused: z.int().positive().optional(),
  /** Those that never told all that they used: tokens and cost are lower bounds then. */
  uncounted: z.int().positive().optional(),
  /** Tools that a provider was to run itself, such as a web search. */
  hosted_tools: z.array(z.string()).optional(),
  /** What the agent itself says of what it used. */
  agent_reported: z
    .strictObject({ input_tokens: tokens, output_tokens: tokens, cost: z.number().nonnegative().optional() })
    .optional(),
});

/** What a run could reach, and what it was kept from. */
const NetworkReport = z.strictObject({
  mode: z.enum(['model', 'none']),
  /** False: the system cannot, and nothing was started. */
  enforced: z.boolean(),
  /** Why it is not. */
  lack: z.string().optional(),
  allowed_hosts: z.array(z.string()).optional(),
  /** Attempts to reach anything else, as far as they were seen. */
  stopped: z.int().nonnegative(),
  stopped_hosts: z
    .array(
      z.strictObject({
        host: z.string(),
        port: z.int().nonnegative().optional(),
        /** The process that asked first. */
        process: z.string().optional(),
        count: z.int().positive(),
      }),
    )
    .optional(),
});

export const Branch = z.strictObject({
  branch_id: z.string(),
  parent_branch_id: z.string().optional(),
  commit: z.string().optional(),
  agent: z.string().optional(),
  run_id: z.string().optional(),
  status: z.string().optional(),
  verified: Verified.optional(),
  winner: z.boolean().optional(),
  remarks: z.string().optional(),
  files: z.int().nonnegative().optional(),
  additions: z.int().nonnegative().optional(),
  deletions: z.int().nonnegative().optional(),
  cost: z.number().nonnegative().optional(),
  isolation: z.enum(isolations).optional(),
});

const LineageReport = z.strictObject({
  /** The branch that the work began from. */
  start_branch_id: z.string().optional(),
  /** The branch that was reported last; the start branch only where there is no other. */
  latest_branch_id: z.string().optional(),
  branches: z.array(Branch),
});

const PublishReport = z.strictObject({
  branch_id: z.string(),
  status: z.enum(['success', 'error']),
  remote: z.string().optional(),
  ref: z.string().optional(),
  commit: z.string().optional(),
  url: z.string().optional(),
  dry_run: z.boolean().optional(),
  message: z.string().optional(),
});

/** The outcome of a run: the fields of OpenCode's run outcome, and our own. Unknown numbers are absent, never 0. */
export const RunOutcome = z.strictObject({
  session_id: z.string(),
  status: z.enum(['success', 'error', 'cancelled', 'incomplete']),
  message: z.string(),
  metrics: z.strictObject({
    start_time_ms: ms,
    end_time_ms: ms,
    duration_ms: ms,
    tokens_used: tokens,
    input_tokens: tokens,
    output_tokens: tokens,
    reasoning_tokens: tokens,
    cache_read_tokens: tokens,
    cache_write_tokens: tokens,
    cost: z.number().nonnegative().optional(),
    /** `wire`: of the requests themselves, as they passed. */
    cost_source: z.enum(['reported', 'computed', 'wire', 'unknown']),
    /** The cost is a lower bound: only totals are known, and a model call with much input costs more per token, or input from a cache less. Absent: it is not. */
    cost_is: z.literal('at_least').optional(),
    model_name: z.string().optional(),
    /** Absent where the agent never reports its calls. */
    api_calls_count: z.int().nonnegative().optional(),
    tool_calls_count: z.int().nonnegative().optional(),
    turns: z.int().nonnegative(),
    /** How long the run waited for limits to reset; a part of its duration. */
    waited_ms: ms,
    /** How long people had paused it; a part of its duration. */
    paused_ms: ms,
  }),
  /** Only where a run fell back on another agent: each in order, with how it ended and what it used. */
  agents: z.array(AgentShare).optional(),
  /** Only where a run used more than one model; their sum is in the metrics. */
  usage_by_model: z.array(ModelUsage).optional(),
  /** Only where not all of it was used in the quarter of an hour in which the run began; the sum is in the metrics. */
  usage_over_time: z.array(UsagePart).optional(),
  /** The models that answered, by the names that their providers give them; absent: nobody saw them answer. */
  models_served: z.array(z.string()).optional(),
  wire: WireReport.optional(),
  /** What the agent could reach, if that was asked for; absent: whatever it could. */
  network: NetworkReport.optional(),
  /** What the runs below this one used, each counted once; not in the metrics, which cover this run alone. */
  children: ChildrenUsage.optional(),
  /** The branches of the work, where there were any. */
  lineage: LineageReport.optional(),
  /** The result of publishing; the last one counts. */
  publish: PublishReport.optional(),
  artifacts: z.array(Artifact),
  error_details: ErrorDetails.optional(),
  tool_calls: z.array(ToolCall),
  /** What the agent was not allowed to do; absent: nothing was denied. */
  denials: z
    .strictObject({
      count: z.int().positive(),
      /** Whether none of its attempts to act was allowed; looking around is not an attempt. */
      every: z.boolean(),
      /** The flag of "runwire run" that would allow it, where there is one. */
      flag: z.string().optional(),
    })
    .optional(),
  warnings: z.array(z.string()),
  metadata: z.strictObject({
    session_id: z.string(),
    phase_total_duration_ms: ms,
    attempt_number: z.int().positive(),
    retry_count: z.int().nonnegative(),
    initial_prompt: z.string(),
  }),
  verdict: z.strictObject({
    class: z.enum(verdictClasses),
    exit_code: z.int(),
    code: ErrorCode.optional(),
    evidence: z.array(z.strictObject({ signal: z.string(), detail: z.string() })),
  }),
  /** What the answer says about the run, as far as it can be checked, and what the facts say to it; absent: nothing. */
  claims: z.array(Claim).optional(),
  /** What was expected of the run, and whether it held; absent: nothing was expected. */
  expectations: z.array(z.strictObject({ rule: z.string(), passed: z.boolean(), detail: z.string() })).optional(),
  limits_hit: z.array(
    z.strictObject({
      limit: z.string(),
      value: z.number().optional(),
      maximum: z.number().optional(),
      message: z.string().optional(),
    }),
  ),
  provenance: z.strictObject({
    agent: z.string().optional(),
    version: z.string().optional(),
    dialect: z.string(),
    runwire_version: z.string(),
    unknown_lines: z.int().nonnegative(),
    /** How many secrets were replaced by `[redacted:…]`; absent: none. */
    redactions: z.int().positive().optional(),
    /** Where the prices of a computed cost are from: a table and its date, `given` with the run, or the `config`; absent: nothing was computed here. */
    prices: z
      .strictObject({ name: z.string(), version: z.string().optional(), as_of: z.string().optional() })
      .optional(),
    notes: z.array(
      z.strictObject({ kind: z.string(), what: z.string(), count: z.int().positive(), line: z.int().optional() }),
    ),
  }),
  /** How many entries of a list are not shown; `--full` shows all. */
  omitted: z
    .strictObject({
      tool_calls: z.int().positive().optional(),
      artifacts: z.int().positive().optional(),
      warnings: z.int().positive().optional(),
      claims: z.int().positive().optional(),
      branches: z.int().positive().optional(),
    })
    .optional(),
});
export type ChildrenUsage = z.infer<typeof ChildrenUsage>;
export type RunOutcome = z.infer<typeof RunOutcome>;
export type ModelUsage = z.infer<typeof ModelUsage>;
export type Artifact = z.infer<typeof Artifact>;
export type Branch = z.infer<typeof Branch>;
export type LineageReport = z.infer<typeof LineageReport>;
export type PublishReport = z.infer<typeof PublishReport>;
export type ToolCall = z.infer<typeof ToolCall>;
export type ErrorDetails = z.infer<typeof ErrorDetails>;
export type Expectation = NonNullable<RunOutcome['expectations']>[number];
export type Verdict = RunOutcome['verdict'];
export type Evidence = Verdict['evidence'][number];
