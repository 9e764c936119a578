import type { Draft } from '../events/event.ts';
import type { McpServer } from './mcp/connect.ts';
import type { PermissionRules } from './permissions/rules.ts';
import type { Environment, TokenPrice } from '../vocabulary.ts';

/** Everything the built-in agent needs; flags, config and environment are resolved by the caller. */
export interface AgentOptions {
  prompt: string;
  /** `provider/name`, or `replay/FILE`. */
  model: string;
  cwd: string;
  env: Environment;
  signal: AbortSignal;
  permissions: PermissionRules;
  baseUrl?: string;
  /** Keys from the config file, by provider; a variable of the environment wins. */
  keys?: Readonly<Record<string, string>>;
  system?: string;
  appendSystem?: string;
  /** JSON Schema of the final answer. */
  outputSchema?: Record<string, unknown>;
  resume?: string;
  maxTurns?: number;
  maxCostUsd?: number;
  price?: TokenPrice;
  /** How often a failed model call is tried again; default 4. */
  retries?: number;
  /** The first wait before a retry, doubled each time; default 1000. */
  retryDelayMs?: number;
  /** Tokens that fit into one request; default: what the price table knows of the model. */
  contextWindow?: number;
  mcpServers?: Readonly<Record<string, McpServer>>;
  recordModel?: string;
  /** Takes secrets out of what is written to the session and to a recording. */
  redact?: (text: string) => string;
  projectName?: string;
  parentBranchId?: string;
}

/**
 * Runs one prompt to its end. Everything it does is told as drafts, in order, as it happens; it always ends by telling
 * `agent.finished` and never throws for anything that a run can meet. Limits, denials, errors and interrupts are events.
 */
export type RunAgent = (options: AgentOptions, emit: (draft: Draft) => void) => Promise<void>;
