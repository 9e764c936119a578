import type { FileOperation, ItemKind, ItemStatus } from '../../events/event.ts';
import type { DecoderSink, Json } from '../dialect.ts';
import { integer, isObject, object, string } from '../read.ts';

const kinds: Record<string, ItemKind> = {
  bash: 'command',
  read_file: 'read',
  list_files: 'search',
  write_file: 'file_edit',
  edit_file: 'file_edit',
  web_search: 'web',
  web_fetch: 'web',
  browser: 'web',
  financial_search: 'search',
  x_search: 'search',
  spawn_subagent: 'subagent',
};

export function kindOf(tool: string): ItemKind {
  return Object.hasOwn(kinds, tool) ? (kinds[tool] ?? 'tool_call') : 'tool_call';
}

/** What Dexter writes in front of the message of a failed tool, and of a failed run. */
export const errorPrefix = 'Error: ';

/** A finished call in words of ours. A command that failed is a normal result to Dexter: its code is inside the JSON text. */
export function finished(tool: string, result: Json | undefined): { status: ItemStatus; exit_code?: number } {
  if (typeof result === 'string' && result.startsWith(errorPrefix)) return { status: 'error' };
  if (tool !== 'bash') return { status: 'success' };
  const data = object(object(parsed(result)).data);
  const exit = integer(data.exitCode);
  if (data.interrupted === true) return exit === undefined ? { status: 'cancelled' } : { status: 'cancelled', exit_code: exit };
  const status = data.timedOut === true || (exit !== undefined && exit !== 0) ? 'error' : 'success';
  return exit === undefined ? { status } : { status, exit_code: exit };
}

function parsed(result: Json | undefined): Json | undefined {
  if (typeof result !== 'string') return result;
  if (!result.startsWith('{')) return undefined;
  try {
    const value: Json = JSON.parse(result);
    return value;
  } catch {
    return undefined;
  }
}

const operations: Record<string, FileOperation> = { write_file: 'created', edit_file: 'modified' };

export function isFileTool(tool: string): boolean {
  return Object.hasOwn(operations, tool);
}

export function editedFile(sink: DecoderSink, tool: string, args: Json | undefined, itemId: string): void {
  const operation = Object.hasOwn(operations, tool) ? operations[tool] : undefined;
  const path = string(isObject(args) ? args.path : undefined);
  if (operation !== undefined && path !== undefined) sink.emit({ type: 'file.edited', path, operation, item_id: itemId });
}
