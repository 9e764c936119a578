import type { ItemKind, ItemStatus } from '../../events/event.ts';
import type { Json, JsonObject } from '../dialect.ts';
import { asText, filled, integer, isObject, list, object, string } from '../read.ts';

const kinds: Record<string, ItemKind> = {
  Bash: 'command',
  BashOutput: 'command',
  PowerShell: 'command',
  KillShell: 'command',
  Edit: 'file_edit',
  MultiEdit: 'file_edit',
  Write: 'file_edit',
  NotebookEdit: 'file_edit',
  Read: 'read',
  NotebookRead: 'read',
  Grep: 'search',
  Glob: 'search',
  LS: 'search',
  ToolSearch: 'search',
  WebFetch: 'web',
  WebSearch: 'web',
  web_search: 'web',
  web_fetch: 'web',
  Task: 'subagent',
  Agent: 'subagent',
  TodoWrite: 'plan',
  TaskCreate: 'plan',
  TaskUpdate: 'plan',
  TaskGet: 'plan',
  TaskList: 'plan',
  EnterPlanMode: 'plan',
  ExitPlanMode: 'plan',
};

export function kindOf(name: string): ItemKind {
  if (name.startsWith('mcp__')) return 'mcp';
  return Object.hasOwn(kinds, name) ? (kinds[name] ?? 'tool_call') : 'tool_call';
}

export function editedPath(name: string, input: Json | undefined): string | undefined {
  if (kindOf(name) !== 'file_edit') return undefined;
  return filled(object(input).file_path) ?? filled(object(input).notebook_path);
}

const refusals = [
  /^(?:Error: )?Permission to use .{0,400} (?:has been|was) denied/s,
  /^(?:Error: )?Claude requested permissions? to /,
  /^The user doesn't want to (?:proceed with this tool use|take this action)/,
];

/** Why a tool did not run, in the words of `tool_result_meta`; `abandoned` is ours. */
export const nonExecution: Partial<Record<ItemStatus, string>> = {
  denied: 'permission-rule',
  cancelled: 'interrupted',
  abandoned: 'abandoned',
};

export function resultStatus(id: string, block: JsonObject, meta: Json | undefined, text: string): ItemStatus {
  if (block.is_error !== true) return 'success';
  const kind = string(metaOf(id, meta).non_execution_kind);
  if (kind !== undefined) {
    if (/permission|reject|deni/.test(kind)) return 'denied';
    if (/interrupt|cancel/.test(kind)) return 'cancelled';
    if (kind === 'abandoned') return 'abandoned';
  }
  if (text.startsWith('[Request interrupted by user')) return 'cancelled';
  const head = text.slice(0, 600);
  return refusals.some((wording) => wording.test(head)) ? 'denied' : 'error';
}

function metaOf(id: string, meta: Json | undefined): JsonObject {
  if (isObject(meta)) return meta;
  return object(list(meta).find((each) => object(each).id === id));
}

/** A tool's output: text wherever it is all text, else the blocks as they came. */
export function outputOf(content: Json | undefined): Json | undefined {
  if (!Array.isArray(content)) return content ?? undefined;
  const texts: string[] = [];
  for (const each of content) {
    const block = object(each);
    if (block.type !== 'text' || typeof block.text !== 'string') return content;
    texts.push(block.text);
  }
  return texts.join('\n');
}

export function exitCodeOf(name: string, text: string, details: JsonObject): number | undefined {
  const known = integer(details.exit_code);
  if (known !== undefined || kindOf(name) !== 'command') return known;
  const printed = /^(?:Error: )?Exit code (\d{1,9})\b/.exec(text.slice(0, 60))?.[1];
  return printed === undefined ? undefined : Number(printed);
}

/** `tool_use_result` of Write says whether the file is new; else only its sentence does. */
export function editOf(path: string | undefined, details: JsonObject, output: Json | undefined) {
  const change = details.type;
  const told = change === 'create' || change === 'update' || change === 'delete';
  const file = told ? (filled(details.filePath) ?? path) : path;
  if (file === undefined) return undefined;
  const created = change === 'create' || (!told && asText(output).startsWith('File created'));
  return { path: file, operation: created ? ('created' as const) : change === 'delete' ? ('deleted' as const) : ('modified' as const) };
}
