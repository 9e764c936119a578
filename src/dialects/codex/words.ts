import type { ErrorCode, ItemStatus } from '../../events/event.ts';
import type { ToolKinds } from '../kit/tool-kinds.ts';

/** The items that `codex exec` prints, and the tools that its session files name. */
export const toolKinds: ToolKinds = {
  command_execution: 'command',
  file_change: 'file_edit',
  mcp_tool_call: 'mcp',
  collab_tool_call: 'subagent',
  web_search: 'web',
  todo_list: 'plan',
  shell: 'command',
  shell_command: 'command',
  exec_command: 'command',
  write_stdin: 'command',
  local_shell: 'command',
  'container.exec': 'command',
  unified_exec: 'command',
  apply_patch: 'file_edit',
  update_plan: 'plan',
};

/** Session files call the tools of MCP servers `server__tool`. */
export const mcpName = /__/;

/** The MCP server name under which Runwire writes tools of other agents, so that reading back restores their names. */
export const foreignServer = 'runwire';

/** `codex exec` cannot ask anybody, so an MCP tool that needs approval ends with this text. */
export const unanswered = 'user cancelled MCP tool call';

export const statusOf: Readonly<Record<string, ItemStatus>> = {
  completed: 'success',
  failed: 'error',
  declined: 'denied',
  in_progress: 'abandoned',
};

export const wireStatus: Readonly<Record<ItemStatus, string>> = {
  success: 'completed',
  error: 'failed',
  denied: 'failed',
  cancelled: 'failed',
  abandoned: 'in_progress',
};

/** Only a command can be declined; one without an exit code has not ended, even if its status is `completed`. */
export const wireCommandStatus: Readonly<Record<ItemStatus, string>> = {
  ...wireStatus,
  denied: 'declined',
  cancelled: 'completed',
  abandoned: 'completed',
};

export const operationOf = { add: 'created', delete: 'deleted', update: 'modified' } as const;

/** A patch names its files in lines like `*** Add File: a.c`. */
export const patchOperation = { Add: 'created', Delete: 'deleted', Update: 'modified' } as const;

/** `codex_error_info`: a word, or an object with a word as its key. */
export const codeOfInfo: Readonly<Record<string, ErrorCode>> = {
  context_window_exceeded: 'context_overflow',
  session_budget_exceeded: 'cost_limit',
  usage_limit_exceeded: 'quota',
  model_cap: 'rate_limit',
  server_overloaded: 'server',
  internal_server_error: 'server',
  unauthorized: 'auth',
  bad_request: 'refused',
  cyber_policy: 'refused',
  sandbox_error: 'tool',
};

/** Connection errors, which name the HTTP status if there was one. */
export const connections: ReadonlySet<string> = new Set([
  'http_connection_failed',
  'response_stream_connection_failed',
  'response_stream_disconnected',
  'response_too_many_failed_attempts',
]);

/** A request made alongside the turn failed, not the turn itself. */
export const besideTheTurn: ReadonlySet<string> = new Set(['thread_rollback_failed', 'active_turn_not_steerable']);
