import type { FileOperation } from '../../events/event.ts';
import type { ToolKinds } from '../kit/tool-kinds.ts';

export const toolKinds: ToolKinds = {
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

export const operationOf: Readonly<Record<string, FileOperation>> = { write_file: 'created', edit_file: 'modified' };

/** What Dexter writes before the message of a failed tool, and of a failed run. */
export const errorPrefix = 'Error: ';

/** The beginning of the answer of a run that used up its iterations; their number follows. */
export const limitPrefix = 'Reached maximum iterations (';

/** The query for a stream that does not contain it: a response must have one. */
export const unknownQuery = '(unknown)';

export const scratchpadFolder = '.dexter/scratchpad/';
