import type { Passed } from '../agents/environment.ts';
import type { FailOn } from '../outcome/verdict.ts';
import type { Labels } from '../stores/run-store.ts';
import type { LedgerRequest } from './sinks/ledger.ts';
import type { Limits } from './watch.ts';
import type { Environment, PermissionMode, TokenPrice } from '../vocabulary.ts';

/** The agent that comes with Runwire; every other one is a program that must be installed. */
export const builtIn = 'builtin';

/** Everything that a run is asked for, checked and with its paths made whole. */
export interface RunRequest {
  /** `builtin`, or the id of another agent. */
  agent: string;
  /** A command of the caller's, instead of an agent. */
  command?: readonly string[] | undefined;
  /** For a command: what goes to its stdin; empty: stdin is. */
  prompt: string;
  cwd: string;
  env: Environment;
  /** Variables that the agent's process may have on top of the usual ones. */
  extraEnv: Passed;
  /** What the process prints; unset: known from the agent, or detected. */
  dialect?: string | undefined;
  model?: string | undefined;
  baseUrl?: string | undefined;
  price?: TokenPrice | undefined;
  permissionMode?: PermissionMode | undefined;
  allow: readonly string[];
  deny: readonly string[];
  directories: readonly string[];
  resume?: string | undefined;
  system?: string | undefined;
  appendSystem?: string | undefined;
  /** A JSON Schema. */
  outputSchema?: Record<string, unknown> | undefined;
  /** A file for the conversation with the model. */
  recordModel?: string | undefined;
  /** More words for the agent's own command line. */
  agentArgs: readonly string[];
  limits: Limits;
  retries: number;
  retryDelayMs: number;
  failOn: readonly FailOn[];
  /** Where the run is remembered; unset: nowhere. */
  ledger?: (Pick<LedgerRequest, 'place'> & { labels: Labels; tape: boolean }) | undefined;
  /** Whether secrets are replaced. */
  redact: boolean;
  projectName?: string | undefined;
  parentBranchId?: string | undefined;
}
