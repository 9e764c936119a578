import type { ErrorCode, FileOperation } from '../../events/event.ts';
import { kindsOf } from '../kit/tool-kinds.ts';

export const toolKinds = kindsOf({
  command: ['run_commands'],
  file_edit: ['editor', 'apply_patch'],
  read: ['read_files'],
  search: ['search_codebase'],
  web: ['fetch_web_content'],
  subagent: ['spawn_agent'],
});

/** Tools of MCP servers are named `server__tool`. */
export const mcpName = /__/;

/** The tools of 2.x. */
export const legacyToolKinds = kindsOf({
  file_edit: ['editedExistingFile', 'newFileCreated', 'fileDeleted'],
  read: ['readFile'],
  search: ['listFilesTopLevel', 'listFilesRecursive', 'listCodeDefinitionNames', 'searchFiles'],
  web: ['webFetch', 'webSearch'],
});

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
export const patchOperations: Readonly<Record<string, FileOperation>> = {
  Add: 'created',
  Update: 'modified',
  Delete: 'deleted',
};

/** Without a terminal there is nobody to ask: a tool that needs approval is refused with these words. */
export const refusal =
  /requires approval in a TTY session|was not approved|rejected the tool call|denied by the user|blocked in plan mode/i;
