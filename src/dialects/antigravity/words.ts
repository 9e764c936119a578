import type { ErrorCode } from '../../events/event.ts';
import type { ToolKinds } from '../tool-kinds.ts';

export const toolKinds: ToolKinds = {
  run_command: 'command',
  send_command_input: 'command',
  command_status: 'command',
  view_file: 'read',
  view_file_outline: 'read',
  view_code_item: 'read',
  list_dir: 'search',
  find_by_name: 'search',
  grep_search: 'search',
  codebase_search: 'search',
  write_to_file: 'file_edit',
  replace_file_content: 'file_edit',
  multi_replace_file_content: 'file_edit',
  search_web: 'web',
  read_url_content: 'web',
  call_mcp_tool: 'mcp',
  invoke_subagent: 'subagent',
  browser_subagent: 'subagent',
};

/** The arguments that name a file. */
export const pathFields = ['TargetFile', 'AbsolutePath', 'target_file'] as const;

/** With nobody to ask, what needs a permission is refused. */
export const refusal = /permission check failed|denied permission|permission denied|user denied|auto[- ]?denied/i;

/** What a result says that is neither good nor simply an error. */
export const statusCodes: Readonly<Record<string, ErrorCode>> = {
  CANCELLED: 'cancelled',
  CANCELED: 'cancelled',
  INTERRUPTED: 'cancelled',
  ABORTED: 'cancelled',
  TIMEOUT: 'time_limit',
  TIMED_OUT: 'time_limit',
  MAX_TURNS: 'turn_limit',
  WAITING: 'permission',
  WAITING_FOR_USER: 'permission',
  BLOCKED: 'permission',
};
