import type { ErrorCode } from '../../events/event.ts';
import type { ToolKinds } from '../kit/tool-kinds.ts';

export const toolKinds: ToolKinds = {
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

/** A result's only status is `is_error`; these words in its output say more. */
export const deniedPrefix = 'Permission denied: ';
export const cancelledOutput = '(cancelled)';

/** What this format's exit codes, and the usual ones of shells, say about a failure. */
export const codeOfExit: Readonly<Record<number, ErrorCode>> = {
  1: 'config',
  2: 'input',
  3: 'tool',
  4: 'server',
  5: 'cost_limit',
  6: 'turn_limit',
  7: 'permission',
  9: 'expectation',
  10: 'output',
  124: 'time_limit',
  130: 'cancelled',
  143: 'cancelled',
};
