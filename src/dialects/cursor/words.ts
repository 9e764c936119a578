import type { FileOperation } from '../../events/event.ts';
import type { ToolKinds } from '../tool-kinds.ts';

/** On the wire, names end in `ToolCall`. */
export const toolKinds: ToolKinds = {
  shell: 'command',
  read: 'read',
  write: 'file_edit',
  edit: 'file_edit',
  delete: 'file_edit',
  ls: 'search',
  glob: 'search',
  grep: 'search',
  semSearch: 'search',
  updateTodos: 'plan',
  readTodos: 'plan',
  mcp: 'mcp',
  webSearch: 'web',
  webFetch: 'web',
  fetch: 'web',
  task: 'subagent',
};

/** What editing tools do to a file. */
export const operations: Readonly<Record<string, FileOperation>> = { write: 'created', edit: 'modified', delete: 'deleted' };
