import type { ItemKind, ItemStatus } from '../../events/event.ts';
import type { JsonObject } from '../dialect.ts';
import { object, string } from '../read.ts';

const kinds: Record<string, ItemKind> = {
  run_shell_command: 'command',
  write_file: 'file_edit',
  replace: 'file_edit',
  read_file: 'read',
  read_many_files: 'read',
  list_directory: 'read',
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

const isOwn = (name: string): boolean => Object.hasOwn(kinds, name);

export function kindOf(name: string): ItemKind {
  if (isOwn(name)) return kinds[name] ?? 'tool_call';
  return name.startsWith('mcp_') || name.includes('__') ? 'mcp' : 'tool_call';
}

/** The file that a successful call of this tool has changed. */
export function editedFile(name: string, args: JsonObject): { path: string; operation: 'created' | 'modified' } | undefined {
  const path = string(args.file_path);
  if (path === undefined) return undefined;
  if (name === 'write_file') return { path, operation: 'created' };
  if (name === 'replace') return { path, operation: args.old_string === '' ? 'created' : 'modified' };
  return undefined;
}

export function resultStatus(name: string, wire: JsonObject): ItemStatus {
  if (wire.status === 'success') return 'success';
  const error = object(wire.error);
  switch (error.type) {
    case 'policy_violation':
    case 'path_not_in_workspace':
      return 'denied';
    case 'tool_not_registered':
      // Tools that may not be used are taken away; a name the program never had is the model's mistake.
      return isOwn(name) ? 'denied' : 'error';
    case 'invalid_tool_params':
      return string(error.message)?.startsWith('Path not in workspace') === true ? 'denied' : 'error';
    default:
      return 'error';
  }
}
