import { agentOf } from '../agents/acp-command.ts';
import type { Rule } from '../expect/rule.ts';
import type { FailOn } from '../outcome/verdict.ts';
import { present } from '../present.ts';
import { type Dirty, type IsolationKind, type PermissionMode, type TokenPrice } from '../vocabulary.ts';
import { givenPrice } from './given-price.ts';
import type { RunSpec } from './spec.ts';

/** What a run may take. Unset: no limit. */
export interface AskedLimits {
  maxTurns?: number | undefined;
  maxCostUsd?: number | undefined;
  /** Input and output tokens together. */
  maxTokens?: number | undefined;
  /** Of the whole run, its retries included. */
  timeoutMs?: number | undefined;
  /** Without a byte on either stream. */
  idleTimeoutMs?: number | undefined;
  /** Until the agent prints anything that we understand. */
  firstEventTimeoutMs?: number | undefined;
  /** How long a question that nobody can answer may stay open; default: 20 s. */
  permissionTimeoutMs?: number | undefined;
}

/** A run as a caller asks for it: what the flags of the command line and the options of the library have in common. */
export interface RunAsk {
  /** `builtin` (default), the id of an installed agent (`codex`, `claude`, …), or `acp:COMMAND` for one that speaks ACP. */
  agent?: string | undefined;
  /** Your own command instead, program first; its dialect is detected, or named in `from`. */
  command?: readonly string[] | undefined;
  from?: string | undefined;
  /** What to do. For a command: what goes to its stdin. */
  prompt?: string | undefined;
  model?: string | undefined;
  baseUrl?: string | undefined;
  price?: TokenPrice | undefined;
  permissionMode?: PermissionMode | undefined;
  /** Rules of the built-in agent. */
  allow?: readonly string[] | undefined;
  deny?: readonly string[] | undefined;
  directories?: readonly string[] | undefined;
  resume?: string | undefined;
  system?: string | undefined;
  appendSystem?: string | undefined;
  outputSchema?: Record<string, unknown> | undefined;
  /** A file for the conversation with the model. */
  recordModel?: string | undefined;
  agentArgs?: readonly string[] | undefined;
  limits?: AskedLimits | undefined;
  /** How often to restart a run that broke off or failed on the model's side; default 0. */
  retries?: number | undefined;
  retryDelayMs?: number | undefined;
  failOn?: readonly FailOn[] | undefined;
  /** What is expected of the run. */
  expect?: readonly Rule[] | undefined;
  labels?: Readonly<Record<string, string>> | undefined;
  /** A budget in the ledger that the run draws on, together with all runs below it. */
  budget?: string | undefined;
  /** Whether secrets are replaced; default true. */
  redact?: boolean | undefined;
  /** A private copy of the checkout to work in: `auto` is an overlay where the system can do it, else a clone. Its effect is kept as a branch. */
  isolate?: 'auto' | IsolationKind | undefined;
  /** In a copy: what happens to uncommitted changes; default: the run is refused. */
  dirty?: Dirty | undefined;
  /** In a copy: a shell command that prepares it. */
  setup?: string | undefined;
  /** In a copy: untracked files that it must have. */
  copy?: readonly string[] | undefined;
  projectName?: string | undefined;
  parentBranchId?: string | undefined;
}

/** Where the call comes from. Apart from `cwd`, a spec keeps only the names of the caller's variables. */
interface Place {
  cwd: string;
  passEnv: readonly string[];
  parent?: RunSpec['parent'];
}

export function specOf(ask: RunAsk, { cwd, passEnv, parent }: Place): RunSpec {
  const { price } = ask;
  const { agent, command } = agentOf(ask);
  return {
    agent,
    prompt: ask.prompt ?? '',
    cwd,
    pass_env: [...passEnv],
    allow: [...(ask.allow ?? [])],
    deny: [...(ask.deny ?? [])],
    directories: [...(ask.directories ?? [])],
    agent_args: [...(ask.agentArgs ?? [])],
    limits: limitsOf(ask.limits ?? {}),
    retries: ask.retries ?? 0,
    retry_delay_ms: ask.retryDelayMs ?? 2000,
    fail_on: [...(ask.failOn ?? [])],
    labels: { ...ask.labels },
    redact: ask.redact ?? true,
    ...present({
      command: command === undefined ? undefined : [...command],
      dialect: ask.from,
      model: ask.model,
      base_url: ask.baseUrl,
      price: price === undefined ? undefined : givenPrice(price),
      permission_mode: ask.permissionMode,
      resume: ask.resume,
      budget: ask.budget,
      system: ask.system,
      append_system: ask.appendSystem,
      output_schema: ask.outputSchema as RunSpec['output_schema'],
      record_model: ask.recordModel,
      expect: ask.expect === undefined ? undefined : [...ask.expect],
      project_name: ask.projectName,
      parent_branch_id: ask.parentBranchId,
      parent,
      workspace: workspaceOf(ask),
    }),
  };
}

function workspaceOf({ isolate, dirty = 'refuse', setup, copy = [], parentBranchId }: RunAsk): RunSpec['workspace'] {
  return isolate === undefined ? undefined : { isolate, dirty, copy: [...copy], ...present({ setup, from: parentBranchId }) };
}

function limitsOf(limits: AskedLimits): RunSpec['limits'] {
  return present({
    max_turns: limits.maxTurns,
    max_cost_usd: limits.maxCostUsd,
    max_tokens: limits.maxTokens,
    timeout_ms: limits.timeoutMs,
    idle_timeout_ms: limits.idleTimeoutMs,
    first_event_timeout_ms: limits.firstEventTimeoutMs,
    permission_timeout_ms: limits.permissionTimeoutMs,
  });
}
