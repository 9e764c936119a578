import type { FileOperation, ItemKind } from '../../events/event.ts';
import type { Json } from '../dialect.ts';
import { filled, object } from '../read.ts';

const kinds: Record<string, ItemKind> = {
  Bash: 'command',
  PowerShell: 'command',
  FileRead: 'read',
  Read: 'read',
  FileWrite: 'file_edit',
  Write: 'file_edit',
  FileEdit: 'file_edit',
  Edit: 'file_edit',
  MultiEdit: 'file_edit',
  NotebookEdit: 'file_edit',
  Grep: 'search',
  Glob: 'search',
  WebFetch: 'web',
  WebSearch: 'web',
  Agent: 'subagent',
  Task: 'subagent',
  TodoWrite: 'plan',
};

export function kindOf(tool: string): ItemKind {
  if (tool.startsWith('mcp__')) return 'mcp';
  return Object.hasOwn(kinds, tool) ? (kinds[tool] ?? 'tool_call') : 'tool_call';
}

/** The file that a successful call of this tool has written. */
export function editOf(tool: string, input: Json): { path: string; operation: FileOperation } | undefined {
  if (kindOf(tool) !== 'file_edit') return undefined;
  const path = filled(object(input).file_path) ?? filled(object(input).path);
  return path === undefined ? undefined : { path, operation: tool.endsWith('Write') ? 'created' : 'modified' };
}

export const deniedPrefix = 'Permission denied: ';
export const cancelledOutput = '(cancelled)';
