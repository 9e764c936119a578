import type { ItemKind } from '../../events/event.ts';
import type { Json, JsonObject } from '../dialect.ts';
import { filled, isObject, object } from '../read.ts';

const kinds = new Map<string, ItemKind>([
  ['run_shell_command', 'command'],
  ['monitor', 'command'],
  ['edit', 'file_edit'],
  ['replace', 'file_edit'],
  ['write_file', 'file_edit'],
  ['notebook_edit', 'file_edit'],
  ['read_file', 'read'],
  ['read_many_files', 'read'],
  ['list_directory', 'read'],
  ['zoom_image', 'read'],
  ['grep_search', 'search'],
  ['search_file_content', 'search'],
  ['glob', 'search'],
  ['web_fetch', 'web'],
  ['web_search', 'web'],
  ['google_web_search', 'web'],
  ['agent', 'subagent'],
  ['task', 'subagent'],
  ['todo_write', 'plan'],
  ['exit_plan_mode', 'plan'],
  ['read_mcp_resource', 'mcp'],
]);

export function kindOf(name: string): ItemKind {
  return kinds.get(name) ?? (name.startsWith('mcp__') ? 'mcp' : 'tool_call');
}

/** The file that a call of an editing tool changes. */
export function editedPath(name: string, input: Json): string | undefined {
  if (kinds.get(name) !== 'file_edit') return undefined;
  return filled(object(input).file_path) ?? filled(object(input).notebook_path);
}

/** The report that the shell tool makes of a command that failed or printed nothing has the exit code in a line of its own. */
export function exitCodeIn(output: string): number | undefined {
  if (!output.startsWith('Command: ')) return undefined;
  const mark = '\nExit Code: ';
  const at = output.lastIndexOf(mark);
  if (at === -1) return undefined;
  const code = Number.parseInt(output.slice(at + mark.length, at + mark.length + 12), 10);
  return Number.isNaN(code) ? undefined : code;
}

/** Our progress is text; the wire's is an object, and its own are passed through as the text of one. */
export function wireProgress(chunk: string): JsonObject {
  if (chunk.startsWith('{')) {
    try {
      const value: Json = JSON.parse(chunk);
      if (isObject(value) && typeof value.type === 'string') return value;
    } catch {
      // Text that only looks like JSON.
    }
  }
  return { type: 'mcp_tool_progress', progress: 0, message: chunk };
}
