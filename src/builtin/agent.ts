import type { Draft, ErrorCode } from '../events/event.ts';
import { Failure, messageOf } from '../failure.ts';
import type { Pause } from '../time/pause.ts';
import { present } from '../json/present.ts';
import { version } from '../version.ts';
import { cancelledBy, type Claim } from './claim.ts';
import type { Reach } from './tools/reach.ts';
import type { McpServer } from './mcp/connect.ts';
import type { AskPerson } from './permissions/question.ts';
import type { PermissionRules } from './permissions/rules.ts';
import type { Hide } from './tools/hide.ts';
import { systemPrompt } from './system-prompt.ts';
import type { OpenToolbox } from './tools/toolbox.ts';
import { newId } from '../ids/new-id.ts';
import type { Environment, TokenPrice } from '../words/vocabulary.ts';

/** Everything the built-in agent needs; flags, config and environment are resolved by the caller. */
export interface AgentOptions {
  prompt: string;
  /** `provider/name`, or `replay/FILE`. */
  model: string;
  cwd: string;
  env: Environment;
  signal: AbortSignal;
  /** Aborts a model call that is on its way; default: `signal`, which otherwise only says that no other call may follow. */
  calls?: AbortSignal;
  permissions: PermissionRules;
  baseUrl?: string;
  /** Keys from the config file, by provider; an environment variable takes precedence. */
  keys?: Readonly<Record<string, string>>;
  system?: string;
  appendSystem?: string;
  /** JSON Schema for the final answer. */
  outputSchema?: Record<string, unknown>;
  resume?: string;
  maxTurns?: number;
  maxCostUsd?: number;
  price?: TokenPrice;
  /** How often to retry a failed model call; default 4. */
  retries?: number;
  /** The first wait before a retry, doubled each time; default 1000. */
  retryDelayMs?: number;
  /** How it waits before a retry and in a recording; default: in real time. */
  pause?: Pause;
  /** Tokens that fit into one request; default: the model's entry in the price table. */
  contextWindow?: number;
  mcpServers?: Readonly<Record<string, McpServer>>;
  /** What its tools can reach; unset: whatever they can. */
  reach?: Reach;
  recordModel?: string;
  /** Removes secrets from what is written to the session and to a recording. */
  redact?: (text: string) => string;
  /** Removes secrets from tool results before the model sees them. */
  hide?: Hide;
  projectName?: string;
  parentBranchId?: string;
  /** Asked about a call that no rule allows or denies; unset: it is denied. */
  ask?: AskPerson;
  /** Settles when a model may be asked: a run may stand still. */
  ready?: () => Promise<void>;
  /** Limits that were changed since: whoever started the agent keeps them from now on. */
  lifted?: ReadonlySet<'max_turns' | 'max_cost_usd'>;
  /** Called after every answer for the user's next prompt; undefined: nothing more. */
  nextPrompt?: () => Promise<string | undefined>;
}

/**
 * Runs one prompt to its end. Everything it does is emitted as drafts, in order, as it happens; it always ends with
 * `agent.finished` and never throws for anything that can go wrong in a run. Limits, denials, errors and interrupts are events.
 */
export type RunAgent = (options: AgentOptions, emit: (draft: Draft) => void) => Promise<void>;

/** The built-in agent. */
export const runAgent: RunAgent = agentWith(async (options) =>
  (await import('./tools/open-toolbox.ts')).openBuiltinToolbox(options),
);

/** The built-in agent with these tools. */
export function agentWith(openToolbox: OpenToolbox): RunAgent {
  return async (options, emit) => {
    const startedAt = performance.now();
    const sessionId = options.resume ?? newId();
    emit({
      type: 'thread.started',
      task: options.prompt,
      agent: 'runwire',
      agent_version: version,
      model: options.model,
      session_id: sessionId,
      cwd: options.cwd,
      project_name: options.projectName ?? '',
      parent_branch_id: options.parentBranchId ?? '',
      headless: true,
    });
    const system = systemPrompt(options, (text) => emit({ type: 'log', stream: 'agent', level: 'warning', text }));
    emit({ type: 'prompt.submitted', text: options.prompt, system });
    const claim = await work(options, { sessionId, system, openToolbox, emit });
    emit({ type: 'agent.finished', ...claim, duration_ms: Math.round(performance.now() - startedAt) });
  };
}

/** What a run needs besides its options. */
export interface Start {
  sessionId: string;
  system: string;
  openToolbox: OpenToolbox;
  emit(draft: Draft): void;
}

async function work(options: AgentOptions, start: Start): Promise<Claim> {
  try {
    // The start is emitted before the SDK is loaded, which takes a while.
    const [{ prepare }, { runLoop }] = await Promise.all([import('./prepare.ts'), import('./loop.ts')]);
    const prepared = await prepare(options, start);
    // An error while closing an MCP server does not change the outcome of the run.
    return await runLoop(prepared).finally(() => prepared.close().catch(() => {}));
  } catch (error) {
    return options.signal.aborted ? cancelledBy(options.signal) : explain(error, start);
  }
}

function explain(error: unknown, { emit }: Start): Claim {
  const message = messageOf(error);
  const code = error instanceof Failure ? codeOf(error) : 'unknown';
  emit({
    type: 'error',
    scope: code === 'config' ? 'config' : 'agent',
    code,
    message,
    retryable: false,
    fatal: true,
    ...(error instanceof Error && code === 'unknown' ? present({ name: error.name, stack: error.stack }) : {}),
  });
  return { status: 'failed', code, message };
}

function codeOf({ code }: Failure): ErrorCode {
  return code === 'provider' || code === 'incomplete' ? 'unknown' : code;
}
