import type { Draft } from '../events/event.ts';
import type { PermissionRules } from './permissions.ts';

/** Everything the built-in agent needs; flags, config and environment are resolved by the caller. */
export interface AgentOptions {
  prompt: string;
  /** `provider/name`, or `replay/FILE`. */
  model: string;
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  signal: AbortSignal;
  permissions: PermissionRules;
  baseUrl?: string;
  system?: string;
  appendSystem?: string;
  /** JSON Schema of the final answer. */
  outputSchema?: Record<string, unknown>;
  resume?: string;
  maxTurns?: number;
  maxCostUsd?: number;
  /** USD per million tokens. */
  price?: { input: number; output: number; cacheRead?: number };
  keys?: Readonly<Record<string, string>>;
  mcpServers?: Readonly<Record<string, object>>;
  redact?: (text: string) => string;
  recordModel?: string;
  projectName?: string;
  parentBranchId?: string;
}

/**
 * Runs one prompt to its end. Everything it does is told as drafts, in order, as it happens; it always ends by telling
 * `agent.finished` and never throws for anything that a run can meet. Limits, denials, errors and interrupts are events.
 */
export type RunAgent = (options: AgentOptions, emit: (draft: Draft) => void) => Promise<void>;
