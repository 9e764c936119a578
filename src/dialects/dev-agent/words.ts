import type { ItemKind } from '../../events/event.ts';
import type { Verdict } from '../../outcome/outcome.ts';
import type { ToolKinds } from '../kit/tool-kinds.ts';

export const lineTypes: ReadonlySet<string> = new Set([
  'thread.started',
  'turn.started',
  'assistant.message',
  'turn.completed',
  'item.started',
  'item.completed',
  'thread.completed',
  'error',
]);

/** The kinds on this wire. */
type WireKind = 'tool_call' | 'branch_poll' | 'publish';

/** The kinds of tools that the wire lists as tool calls: dev-agent's own, and those that mean the same in every agent. */
export const toolKinds: ToolKinds = {
  branch_output: 'branch_poll',
  check_status: 'branch_poll',
  wait: 'branch_poll',
  publish: 'publish',
  ...named('subagent', 'execute_agent parallel_explore cancel_agent task Task Agent spawn_agent spawn_subagent'),
  ...named(
    'command',
    'verify bash Bash shell PowerShell powershell run_shell_command run_commands command_execution shell_command',
  ),
  ...named('command', 'exec_command execute_command local_shell Execute'),
  ...named(
    'file_edit',
    'edit write replace editor Edit MultiEdit Write NotebookEdit FileEdit FileWrite write_file edit_file create_file',
  ),
  ...named('file_edit', 'file_change apply_patch str_replace_editor text_editor'),
  ...named('read', 'read_artifact branch_diff read Read FileRead NotebookRead read_file read_files read_many_files'),
  ...named('search', 'glob grep find ls Glob Grep LS list_directory list_files grep_search search_file_content'),
  ...named('web', 'fetch web_search web_fetch WebSearch WebFetch google_web_search'),
  ...named('plan', 'todo TodoWrite todo_write todo_list write_todos update_plan'),
};

function named(kind: ItemKind, names: string): ToolKinds {
  return Object.fromEntries(names.split(' ').map((name) => [name, kind]));
}

/** Streams written by earlier versions of Runwire use our kinds. */
export const kindOfWord: ToolKinds = {
  tool_call: 'tool_call',
  command: 'command',
  file_edit: 'file_edit',
  read: 'read',
  search: 'search',
  web: 'web',
  mcp: 'mcp',
  subagent: 'subagent',
  plan: 'plan',
  publish: 'publish',
  branch_poll: 'branch_poll',
} satisfies Record<ItemKind, ItemKind>;

export function wireKind(kind: ItemKind, name: string): WireKind {
  if (name === 'publish') return 'publish';
  return kind === 'publish' || kind === 'branch_poll' ? kind : 'tool_call';
}

/** Which arguments of dev-agent's own tools may be shown; of prompts, only the beginning. */
export const allowedArgs: Readonly<Record<string, readonly string[]>> = {
  execute_agent: ['agent', 'parent_branch_id', 'phase', 'model', 'project_name', 'background'],
  parallel_explore: [
    'agents',
    'agent',
    'parent_branch_id',
    'num_branches',
    'phase',
    'model',
    'project_name',
    'background',
  ],
  check_status: ['branch_id', 'parent_branch_id', 'agent', 'model', 'phase'],
  wait: ['branch_ids', 'until', 'timeout_seconds'],
  cancel_agent: ['branch_id', 'agent'],
  branch_output: ['branch_id', 'full_output'],
  branch_diff: ['branch_id', 'path', 'full_output'],
  read_artifact: ['branch_id', 'path'],
  verify: ['branch_id', 'command'],
  publish: ['branch_id', 'message', 'remote', 'agent', 'parent_branch_id', 'project_name'],
};

/** How a run ended; all other classes are an `error`. */
export const statusOfClass: Readonly<Partial<Record<Verdict['class'], string>>> = {
  success: 'completed',
  turn_limit: 'iteration_limit',
  tool: 'FINISHED_WITH_ERROR',
};

/** The id of the message that appears only in the final report. */
export const reportMessage = 'final_report';
