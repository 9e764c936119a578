import type { ErrorCode, FinishReason, ItemStatus } from '../../events/event.ts';
import { codeOfMessage } from '../../outcome/faults.ts';
import type { Json } from '../../json/json.ts';
import type { ToolKinds } from '../kit/tool-kinds.ts';

/** The model of messages that the program wrote itself. */
export const synthetic = '<synthetic>';
export const interruption = '[Request interrupted by user';

export const toolKinds: ToolKinds = {
  Bash: 'command',
  BashOutput: 'command',
  PowerShell: 'command',
  KillShell: 'command',
  Edit: 'file_edit',
  MultiEdit: 'file_edit',
  Write: 'file_edit',
  NotebookEdit: 'file_edit',
  Read: 'read',
  NotebookRead: 'read',
  Grep: 'search',
  Glob: 'search',
  LS: 'search',
  ToolSearch: 'search',
  WebFetch: 'web',
  WebSearch: 'web',
  web_search: 'web',
  web_fetch: 'web',
  Task: 'subagent',
  Agent: 'subagent',
  TodoWrite: 'plan',
  TaskCreate: 'plan',
  TaskUpdate: 'plan',
  TaskGet: 'plan',
  TaskList: 'plan',
  EnterPlanMode: 'plan',
  ExitPlanMode: 'plan',
};

/** What our read-only mode disallows: the program then has no such tool. */
export const actingTools: ReadonlySet<string> = new Set(['Bash', 'Edit', 'MultiEdit', 'NotebookEdit', 'Write']);

/** The input fields in which an editing tool names its file. */
export const pathFields = ['file_path', 'notebook_path'];

/** Why a tool did not run, in the terms of `tool_result_meta`; `abandoned` is ours. */
export const nonExecution: Partial<Record<ItemStatus, string>> = {
  denied: 'permission-rule',
  cancelled: 'interrupted',
  abandoned: 'abandoned',
};

/** The `error` field of assistant messages and retries. */
const errorNames: Record<string, ErrorCode> = {
  authentication_failed: 'auth',
  oauth_org_not_allowed: 'auth',
  account_on_hold: 'auth',
  verification_required: 'auth',
  cloud_credential_error: 'auth',
  billing_error: 'quota',
  rate_limit: 'rate_limit',
  overloaded: 'server',
  server_error: 'server',
  model_not_found: 'model_not_found',
  max_output_tokens: 'output_length',
};

export function codeOfName(name: string | undefined): ErrorCode | undefined {
  return name !== undefined && Object.hasOwn(errorNames, name) ? errorNames[name] : undefined;
}

/** A server that could not be reached has the name of one that failed: only the message tells. */
export function codeOfFault(name: string | undefined, message: string, status?: number): ErrorCode {
  const named = codeOfName(name);
  return named === undefined || (named === 'server' && status === undefined && codeOfMessage(message) === 'network')
    ? codeOfMessage(message, status)
    : named;
}

export function nameOfCode(code: ErrorCode | undefined): string {
  return Object.keys(errorNames).find((name) => errorNames[name] === code) ?? 'unknown';
}

/** The `subtype` field of a result. */
export const subtypes: ReadonlySet<string> = new Set([
  'success',
  'error_during_execution',
  'error_max_turns',
  'error_max_budget_usd',
  'error_max_structured_output_retries',
]);

/** The HTTP status that corresponds to a code. */
export const statuses: Partial<Record<ErrorCode, number>> = {
  auth: 401,
  quota: 402,
  model_not_found: 404,
  network: 408,
  context_overflow: 413,
  rate_limit: 429,
  server: 500,
};

/** `terminal_reason`: why a turn ended, where it says more than the subtype. */
const terminals: Record<string, ErrorCode> = {
  max_turns: 'turn_limit',
  budget_exhausted: 'cost_limit',
  prompt_too_long: 'context_overflow',
  rapid_refill_breaker: 'context_overflow',
  image_error: 'input',
  blocking_limit: 'quota',
  model_error: 'server',
  malformed_tool_use_exhausted: 'tool',
  aborted_streaming: 'cancelled',
  aborted_tools: 'cancelled',
  stop_hook_prevented: 'permission',
  hook_stopped: 'permission',
  turn_setup_failed: 'config',
};

export function codeOfTerminal(reason: string | undefined): ErrorCode | undefined {
  return reason !== undefined && Object.hasOwn(terminals, reason) ? terminals[reason] : undefined;
}

/** The `stop_reason` field of a message. */
const finishes: Record<string, FinishReason> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  tool_use: 'tool_calls',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  refusal: 'content_filter',
  pause_turn: 'other',
};

const plainStops = new Set(['end_turn', 'tool_use']);

export function finishOf(
  raw: string | undefined,
  calledTools: boolean,
): { finish_reason?: FinishReason; raw_finish_reason?: string } {
  if (raw === undefined) return calledTools ? { finish_reason: 'tool_calls' } : {};
  const finish_reason = (Object.hasOwn(finishes, raw) ? finishes[raw] : undefined) ?? 'other';
  return plainStops.has(raw) ? { finish_reason } : { finish_reason, raw_finish_reason: raw };
}

const stops: Partial<Record<FinishReason, string>> = {
  stop: 'end_turn',
  tool_calls: 'tool_use',
  length: 'max_tokens',
  content_filter: 'refusal',
};

export function stopOf(finish: FinishReason | undefined, raw: string | undefined): string | null {
  if (raw !== undefined && Object.hasOwn(finishes, raw)) return raw;
  return (finish === undefined ? undefined : stops[finish]) ?? null;
}

/** The error that a stop reason stands for; undefined: none. */
export function codeOfStop(raw: Json | undefined): ErrorCode | undefined {
  if (raw === undefined || raw === null || raw === 'end_turn' || raw === 'stop_sequence' || raw === 'tool_use')
    return undefined;
  if (raw === 'refusal') return 'refused';
  if (raw === 'max_tokens') return 'output_length';
  return raw === 'model_context_window_exceeded' ? 'context_overflow' : 'unknown';
}

/** Records of a session file that are not part of the conversation: titles, snapshots, hooks, what the program displays. */
export const bookkeeping = [
  'summary',
  'system',
  'attachment',
  'progress',
  'queue-operation',
  'file-history-snapshot',
  'custom-title',
  'ai-title',
  'agent-name',
  'agent-color',
  'agent-setting',
  'content-replacement',
  'tag',
  'mode',
  'last-prompt',
  'pr-link',
  'permission-mode',
  'worktree-state',
  'cost-state',
] as const;
