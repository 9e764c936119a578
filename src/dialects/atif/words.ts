import type { ErrorCode, FileOperation, ItemKind, ItemStatus } from '../../events/event.ts';
import { shapes } from '../../events/shapes.ts';
import type { Json } from '../../json/json.ts';
import type { ToolKinds } from '../kit/tool-kinds.ts';

export const writtenVersion = 'ATIF-v1.7';

/** The minor version of a document; undefined: not one that we read. */
export function minorOf(version: Json | undefined): number | undefined {
  const minor = typeof version === 'string' ? /^ATIF-v1\.(\d{1,3})$/.exec(version)?.[1] : undefined;
  return minor === undefined ? undefined : Number(minor);
}

/** Documents come from every agent; these names mean the same wherever they occur. */
export const toolKinds: ToolKinds = {
  bash: 'command',
  Bash: 'command',
  shell: 'command',
  bash_command: 'command',
  execute_bash: 'command',
  exec_command: 'command',
  run_command: 'command',
  run_shell_command: 'command',
  terminal: 'command',
  read: 'read',
  Read: 'read',
  read_file: 'read',
  write: 'file_edit',
  Write: 'file_edit',
  edit: 'file_edit',
  Edit: 'file_edit',
  write_file: 'file_edit',
  edit_file: 'file_edit',
  apply_patch: 'file_edit',
  str_replace_editor: 'file_edit',
  grep: 'search',
  Grep: 'search',
  glob: 'search',
  Glob: 'search',
  list_directory: 'search',
  web_search: 'web',
  WebSearch: 'web',
  web_fetch: 'web',
  WebFetch: 'web',
  task: 'subagent',
  Task: 'subagent',
};

/** The name of a call of which only the result is known. */
export const unknownName = 'unknown';

/** For agents that do not report their version. */
export const unknownVersion = 'unknown';

const wordsOf = (shape: string | undefined): ReadonlySet<string> => new Set(shape?.replace('~', '').split('|'));
const kinds = wordsOf(shapes['item.started'].kind);
const statuses = wordsOf(shapes['item.completed'].status);
const operations = wordsOf(shapes['file.edited'].operation);
const codes = wordsOf(shapes['error'].code);

export function isKind(word: Json | undefined): word is ItemKind {
  return typeof word === 'string' && kinds.has(word);
}

export function isStatus(word: Json | undefined): word is ItemStatus {
  return typeof word === 'string' && statuses.has(word);
}

export function isOperation(word: Json | undefined): word is FileOperation {
  return typeof word === 'string' && operations.has(word);
}

export function isErrorCode(word: Json | undefined): word is ErrorCode {
  return typeof word === 'string' && codes.has(word);
}
