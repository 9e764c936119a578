import type { ErrorCode, FileOperation } from '../../events/event.ts';
import type { ToolKinds } from '../tool-kinds.ts';

export const toolKinds: ToolKinds = {
  run_commands: 'command',
  editor: 'file_edit',
  apply_patch: 'file_edit',
  read_files: 'read',
  search_codebase: 'search',
  fetch_web_content: 'web',
  spawn_agent: 'subagent',
};

/** Tools of MCP servers are named `server__tool`. */
export const mcpName = /__/;

/** The tools of 2.x. */
export const legacyToolKinds: ToolKinds = {
  editedExistingFile: 'file_edit',
  newFileCreated: 'file_edit',
  fileDeleted: 'file_edit',
  readFile: 'read',
  listFilesTopLevel: 'search',
  listFilesRecursive: 'search',
  listCodeDefinitionNames: 'search',
  searchFiles: 'search',
  webFetch: 'web',
  webSearch: 'web',
};

/** Known lines of 2.x that are of no use to a reader. */
export const legacySilent: ReadonlySet<unknown> = new Set([
  'api_req_finished',
  'checkpoint_created',
  'conditional_rules_applied',
  'deleted_api_reqs',
  'hook_status',
  'load_mcp_documentation',
  'shell_integration_warning',
  'task_progress',
  'user_feedback',
  'user_feedback_diff',
]);

/** Cline's own error classes, where it knows them. */
export const errorClasses: Readonly<Record<string, ErrorCode>> = {
  auth: 'auth',
  rate_limit: 'rate_limit',
  context_overflow: 'context_overflow',
  context_window: 'context_overflow',
  network: 'network',
};

/** The verbs of a patch. */
export const patchOperations: Readonly<Record<string, FileOperation>> = { Add: 'created', Update: 'modified', Delete: 'deleted' };

/** Without a terminal there is nobody to ask: a tool that needs approval is refused with these words. */
export const refusal =
  /requires approval in a TTY session|was not approved|rejected the tool call|denied by the user|blocked in plan mode/i;
