import type { FinishReason } from '../../events/event.ts';
import type { ToolKinds } from '../tool-kinds.ts';

export const toolKinds: ToolKinds = {
  Bash: 'command',
  Read: 'read',
  read_file: 'read',
  create_file: 'file_edit',
  edit_file: 'file_edit',
  undo_edit: 'file_edit',
  format_file: 'file_edit',
  Grep: 'search',
  glob: 'search',
  finder: 'search',
  list_directory: 'search',
  codebase_search_agent: 'subagent',
  web_search: 'web',
  read_web_page: 'web',
  Task: 'subagent',
  oracle: 'subagent',
  librarian: 'subagent',
  todo_write: 'plan',
  todo_read: 'plan',
};

/** The values of `stop_reason`. */
export const finishReasons: Readonly<Record<string, FinishReason>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  tool_use: 'tool_calls',
  max_tokens: 'length',
};
