// Made from request.ts by `npm run generate`.
import type { TokenPrice } from '../words/vocabulary.ts';

/** What a run may take. Unset: no limit. */
export interface Limits {
  maxTurns?: number | undefined;
  /** The same call with the same result so many times in a row; default: a warning at 5. */
  maxRepeats?: number | undefined;
  maxCostUsd?: number | undefined;
  /** Input and output tokens together. */
  maxTokens?: number | undefined;
  /** Of the whole run, its retries included. */
  timeoutMs?: number | undefined;
  /** Without a byte on either stream. */
  idleTimeoutMs?: number | undefined;
  /** Requests to models that go out within any minute; those beyond wait. */
  maxRequestsPerMinute?: number | undefined;
  /** Until the agent prints anything that we understand. */
  firstEventTimeoutMs?: number | undefined;
  /** How long a question that nobody can answer may stay open; default: 20 s. */
  permissionTimeoutMs?: number | undefined;
}

/** What can be asked of a run, as the options of the library name it. */
export interface RequestOptions {
  /** `builtin` (default), the id of an installed agent (`codex`, `claude`, …), or `acp:COMMAND` for one that speaks ACP. */
  agent?: string | undefined;
  /** Your own command instead, program first; its dialect is detected, or named in `from`. */
  command?: readonly string[] | undefined;
  /** What to do. For a command: what goes to its stdin. */
  prompt?: string | undefined;
  /** The dialect that the command prints; default: detected. */
  from?: string | undefined;
  model?: string | undefined;
  baseUrl?: string | undefined;
  /** USD per million tokens. */
  price?: TokenPrice | undefined;
  /** Whether the agent's requests to its models pass through Runwire, which then counts what they use (`meter`), and keeps them on the tape (`record`); default: `auto`, which is `meter` for an agent where that changes nothing else. */
  wire?: 'auto' | 'off' | 'meter' | 'record' | undefined;
  /** The only models that may be asked: `NAME`, or with `*` for any part of it. Unset: any. */
  models?: readonly string[] | undefined;
  /** What the agent and everything that it starts can reach: `open` is whatever you can (default), `model` its model through the wire and nothing else, `none` nothing but itself. */
  network?: 'open' | 'model' | 'none' | undefined;
  /** Hosts that can be reached besides, with `network` `model` or `none`: `NAME`, `NAME:PORT` or `*.NAME`. */
  allowHosts?: readonly string[] | undefined;
  permissionMode?: 'read-only' | 'edit' | 'full' | undefined;
  /** Rules of the built-in agent, and for permission requests of ACP agents. */
  allow?: readonly string[] | undefined;
  deny?: readonly string[] | undefined;
  /** Folders outside `cwd` that it may work in. */
  directories?: readonly string[] | undefined;
  /** A session to resume. */
  resume?: string | undefined;
  system?: string | undefined;
  appendSystem?: string | undefined;
  /** A JSON Schema for the answer. */
  outputSchema?: Record<string, unknown> | undefined;
  /** A file for the conversation with the model. */
  recordModel?: string | undefined;
  /** More arguments for the agent's own command line. */
  agentArgs?: readonly string[] | undefined;
  /** How often to restart a run that broke off or failed on the model's side; default 0. */
  retries?: number | undefined;
  /** The first wait before a retry, doubled each time. */
  retryDelayMs?: number | undefined;
  /** What happens when a quota or rate limit stops the agent and it is known when that resets: `fail` (default), `wait`, or `wait:DURATION` for so long at most, all waits together. */
  onLimit?: string | undefined;
  /** How often it waits for a limit at most; default 3. */
  maxWaits?: number | undefined;
  /** The share of its quota that an agent must have left to be started, 0 to 1, by what is known of its windows; one that has less ends with the code `quota`. */
  minQuota?: number | undefined;
  /** Agents that go on, in order, when the one before is not installed, has no key or no quota left, or its provider fails: `AGENT` or `AGENT=MODEL`. */
  fallback?: readonly string[] | undefined;
  /** Whether another agent also goes on after work that cannot be undone: edits outside a private copy, commands; default false. */
  fallbackAfterWork?: boolean | undefined;
  failOn?: readonly ('tool' | 'denied' | 'empty' | 'warning' | 'limit' | 'model' | 'claims' | 'none')[] | undefined;
  labels?: Readonly<Record<string, string>> | undefined;
  /** A budget in the ledger that the run draws on, together with all runs below it. */
  budget?: string | undefined;
  /** Whether secrets are replaced; default true. */
  redact?: boolean | undefined;
  projectName?: string | undefined;
  parentBranchId?: string | undefined;
  /** A private copy of the checkout to work in: `auto` is an overlay where the system can do it, else a clone. Its effect is kept as a branch. */
  isolate?: 'auto' | 'overlay' | 'clone' | 'worktree' | undefined;
  /** In a copy: what happens to uncommitted changes; default: the run is refused. */
  dirty?: 'refuse' | 'ignore' | 'include' | undefined;
  /** In a copy: a shell command that prepares it. */
  setup?: string | undefined;
  /** In a copy: untracked files that it must have. */
  copy?: readonly string[] | undefined;
  limits?: Limits | undefined;
}
