import { z } from 'zod';
import { Rule } from '../expect/rule.ts';
import { failOnWords } from '../outcome/verdict.ts';
import { labelsSchema } from '../stores/labels-schema.ts';
import { dirtyWays, isolations, permissionModes } from '../vocabulary.ts';

const count = z.int().positive().optional();
const ms = z.number().positive().optional();

/** What a run may take, its retries included. Unset: no limit. */
export const Limits = z.strictObject({
  max_turns: count,
  max_cost_usd: z.number().positive().optional(),
  /** Input and output tokens together. */
  max_tokens: count,
  timeout_ms: ms,
  /** Without a byte on either stream. */
  idle_timeout_ms: ms,
  /** Until the agent prints anything that we understand. */
  first_event_timeout_ms: ms,
  /** How long a question that nobody can answer may stay open; default: 20 s. */
  permission_timeout_ms: ms,
});

/** A private copy of the checkout, whose effect is kept as a branch. */
const WorkspaceSpec = z.strictObject({
  isolate: z.enum(['auto', ...isolations]),
  /** The branch or commit to start from; unset: what is checked out. */
  from: z.string().min(1).optional(),
  /** What happens to uncommitted changes. */
  dirty: z.enum(dirtyWays),
  /** The branch that the work is kept on; unset: `runwire/RUN/1-…`. */
  branch: z.string().min(1).optional(),
  /** A command that prepares the copy. */
  setup: z.string().min(1).optional(),
  /** Untracked files that the copy must have. */
  copy: z.array(z.string()),
});

/** What to do: data that can be stored, queued and sent. It names variables, never their values. */
export const RunSpec = z.strictObject({
  /** `builtin`, the id of another agent, or `acp`: then `command` speaks ACP. */
  agent: z.string().min(1),
  /** The caller's own command instead of an agent, program first. */
  command: z.array(z.string()).optional(),
  /** For a command: what goes to its stdin, which is empty if this is. */
  prompt: z.string(),
  cwd: z.string().min(1),
  /** Variables that the agent's process may have on top of the usual ones: `NAME`, `PREFIX_*` or `*`. */
  pass_env: z.array(z.string()),
  /** The format that the process prints; unset: known from the agent, or detected. */
  dialect: z.string().optional(),
  model: z.string().optional(),
  base_url: z.string().optional(),
  /** USD per million tokens. */
  price: z
    .strictObject({
      input: z.number(),
      output: z.number(),
      cache_read: z.number().optional(),
      cache_write: z.number().optional(),
      cache_write_1h: z.number().optional(),
    })
    .optional(),
  permission_mode: z.enum(permissionModes).optional(),
  /** Rules for the built-in agent, and for permission requests of ACP agents. */
  allow: z.array(z.string()),
  deny: z.array(z.string()),
  /** Folders outside `cwd` that it may work in. */
  directories: z.array(z.string()),
  /** A session to resume. */
  resume: z.string().optional(),
  system: z.string().optional(),
  append_system: z.string().optional(),
  /** A JSON Schema for the answer. */
  output_schema: z.record(z.string(), z.json()).optional(),
  /** A file for the conversation with the model. */
  record_model: z.string().optional(),
  /** More arguments for the agent's own command line. */
  agent_args: z.array(z.string()),
  limits: Limits,
  /** How often to restart a run that broke off or failed on the model's side. */
  retries: z.int().nonnegative(),
  /** The first wait before a retry, doubled each time. */
  retry_delay_ms: z.number().nonnegative(),
  fail_on: z.array(z.enum(failOnWords)),
  /** What is expected of the run; a rule that does not hold turns a success into a failure. */
  expect: z.array(Rule).optional(),
  labels: labelsSchema(),
  /** A budget in the ledger that the run and those below it draw on. */
  budget: z.string().min(1).optional(),
  /** Whether secrets are replaced. */
  redact: z.boolean(),
  project_name: z.string().optional(),
  parent_branch_id: z.string().optional(),
  /** Where the work is done; unset: in `cwd` itself. */
  workspace: WorkspaceSpec.optional(),
  /** The run that this one is part of, and the top of that tree. */
  parent: z.strictObject({ run_id: z.string().min(1), root_run_id: z.string().min(1) }).optional(),
});
export type RunSpec = z.infer<typeof RunSpec>;
export type Limits = z.infer<typeof Limits>;
