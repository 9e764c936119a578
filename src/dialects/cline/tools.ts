import type { ErrorCode, FileOperation, ItemKind, ItemStatus } from '../../events/event.ts';
import type { Json, JsonObject } from '../dialect.ts';
import { asText, filled, isObject, list, object, string } from '../read.ts';

const kinds: Record<string, ItemKind> = {
  run_commands: 'command',
  editor: 'file_edit',
  apply_patch: 'file_edit',
  read_files: 'read',
  search_codebase: 'search',
  fetch_web_content: 'web',
  spawn_agent: 'subagent',
};

export function kindOf(name: string): ItemKind {
  if (Object.hasOwn(kinds, name)) return kinds[name] ?? 'tool_call';
  if (name.startsWith('team_')) return 'subagent';
  return name.includes('__') ? 'mcp' : 'tool_call';
}

// Without a terminal nobody can be asked: a tool that needs approval is refused with these words.
const refusal = /requires approval in a TTY session|was not approved|rejected the tool call|denied by the user|blocked in plan mode/i;
const unavailable = /Model tried to call unavailable tool '(\w+)'/;

export interface ToolEnd {
  status: ItemStatus;
  error?: string;
  exit_code?: number;
}

/** A tool ends well unless it says otherwise: `error` on the event, or `success: false` in any part of its output. */
export function toolEnd(event: JsonObject): ToolEnd {
  const output = event.output;
  const parts = Array.isArray(output) ? output : [output ?? null];
  let failed = false;
  let said: string | undefined;
  for (const part of parts) {
    if (!isObject(part)) continue;
    const error = filled(part.error);
    if (part.success === false || error !== undefined) failed = true;
    said ??= error;
  }
  const error = said ?? filled(event.error);
  if (!failed && error === undefined) return { status: 'success' };
  const exit = /exited with code (\d{1,9})$/.exec(error ?? '')?.[1];
  return {
    status: statusOf(error ?? ''),
    ...(error === undefined ? {} : { error }),
    ...(exit === undefined ? {} : { exit_code: Number(exit) }),
  };
}

function statusOf(error: string): ItemStatus {
  const head = error.slice(0, 500);
  // A tool of its own that is not there was withheld.
  const withheld = Object.hasOwn(kinds, unavailable.exec(head)?.[1] ?? '');
  if (withheld || refusal.test(head)) return 'denied';
  return error.endsWith('was aborted') ? 'cancelled' : 'error';
}

export interface Edit {
  path: string;
  operation: FileOperation;
}

/** The files that a tool which ended well has changed, as far as its input names them. */
export function editsOf(name: string, input: Json | undefined, output: Json | undefined): Edit[] {
  if (name === 'editor') {
    const path = filled(object(input).path);
    const created = asText(object(output).result).startsWith('File created');
    return path === undefined ? [] : [{ path, operation: created ? 'created' : 'modified' }];
  }
  if (name !== 'apply_patch') return [];
  const patch = string(input) ?? string(object(input).input) ?? string(object(input).patch) ?? '';
  const edits: Edit[] = [];
  for (const [, verb, path] of patch.matchAll(/^\*\*\* (Add|Update|Delete) File: (.+)$/gm)) {
    if (path !== undefined) edits.push({ path, operation: verb === 'Add' ? 'created' : verb === 'Delete' ? 'deleted' : 'modified' });
  }
  return edits;
}

/** What Cline calls the failure, where it knows. */
export function codeOfClass(errorClass: Json | undefined): ErrorCode | undefined {
  switch (errorClass) {
    case 'auth':
      return 'auth';
    case 'rate_limit':
      return 'rate_limit';
    case 'context_overflow':
    case 'context_window':
      return 'context_overflow';
    case 'network':
      return 'network';
    default:
      return undefined;
  }
}

/** Chunks of a running command, or whatever else a tool tells of its progress. */
export function progressOf(update: Json | undefined): { stream: 'stdout' | 'stderr' | 'progress'; chunk: string } | undefined {
  const fields = object(update);
  const chunk = string(fields.chunk);
  if (chunk === undefined) {
    const text = list(update).length > 0 || Object.keys(fields).length > 0 ? JSON.stringify(update) : asText(update);
    return text === '' ? undefined : { stream: 'progress', chunk: text };
  }
  // Empty chunks only tell that the command may be detached now.
  return chunk === '' ? undefined : { stream: fields.stream === 'stderr' ? 'stderr' : 'stdout', chunk };
}
