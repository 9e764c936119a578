import type { ErrorCode } from '../../events/event.ts';
import type { ToolKinds } from '../kit/tool-kinds.ts';

export const toolKinds: ToolKinds = {
  run_shell_command: 'command',
  write_file: 'file_edit',
  replace: 'file_edit',
  read_file: 'read',
  read_many_files: 'read',
  list_directory: 'search',
  glob: 'search',
  grep_search: 'search',
  search_file_content: 'search',
  google_web_search: 'web',
  web_fetch: 'web',
  write_todos: 'plan',
  update_topic: 'plan',
  invoke_agent: 'subagent',
  save_memory: 'tool_call',
  ask_user: 'tool_call',
  activate_skill: 'tool_call',
};

/** Tools of MCP servers are named `mcp_server_tool`, in older versions `server__tool`. */
export const mcpName = /^mcp_|__/;

/** Names of the error classes that say more than their message. */
export const errorClasses: readonly (readonly [string, ErrorCode])[] = [
  ['FatalTurnLimitedError', 'turn_limit'],
  ['FatalCancellationError', 'cancelled'],
  ['FatalAuthenticationError', 'config'],
  ['FatalInputError', 'input'],
  ['FatalConfigError', 'config'],
  ['FatalSandboxError', 'config'],
  ['FatalUntrustedWorkspaceError', 'config'],
  ['FatalToolExecutionError', 'tool'],
];

/** Exit codes of the program's own error classes. */
export const exitCodes: Readonly<Record<number, ErrorCode>> = {
  41: 'config',
  42: 'input',
  44: 'config',
  52: 'config',
  53: 'turn_limit',
  54: 'tool',
  55: 'config',
  130: 'cancelled',
};

/** The beginnings of stderr lines that every run prints and that carry no information. */
export const chatter: readonly string[] = [
  'Warning: Basic terminal detected',
  'Warning: 256-color support not detected',
  'Warning: True color (24-bit) support not detected',
  'YOLO mode is enabled.',
  'Ripgrep is not available.',
  'Loaded cached credentials.',
  '[STARTUP] ',
];
