import type { ErrorCode, FinishReason } from '../../../events/event.ts';
import type { ToolKinds } from '../../kit/tool-kinds.ts';

export const toolKinds: ToolKinds = {
  bash: 'command',
  write: 'file_edit',
  edit: 'file_edit',
  multiedit: 'file_edit',
  patch: 'file_edit',
  apply_patch: 'file_edit',
  read: 'read',
  list: 'search',
  glob: 'search',
  grep: 'search',
  codesearch: 'search',
  webfetch: 'web',
  websearch: 'web',
  task: 'subagent',
  todowrite: 'plan',
  todoread: 'plan',
};

export const finishReasons: Readonly<Record<string, FinishReason>> = {
  stop: 'stop',
  'tool-calls': 'tool_calls',
  length: 'length',
  'content-filter': 'content_filter',
  error: 'error',
};

/** Why a run failed if this is its last finish reason. */
export const codesOfFinish: Readonly<Record<string, ErrorCode>> = {
  length: 'output_length',
  'content-filter': 'refused',
};

/** OpenCode's own names, then those that Runwire writes where OpenCode has none. */
export const codesOfErrors: Readonly<Record<string, ErrorCode>> = {
  ProviderAuthError: 'auth',
  MessageOutputLengthError: 'output_length',
  MessageAbortedError: 'cancelled',
  aborted: 'cancelled',
  ContextOverflowError: 'context_overflow',
  ContentFilterError: 'refused',
  ConfigError: 'config',
  InputError: 'input',
  ToolError: 'tool',
  PermissionError: 'permission',
  TurnLimitError: 'turn_limit',
  CostLimitError: 'cost_limit',
  TimeLimitError: 'time_limit',
  ExpectationError: 'expectation',
  OutputError: 'output',
};

/** The lines of a patch that name its files. */
export const patchHeads = [
  ['*** Add File: ', 'created'],
  ['*** Update File: ', 'modified'],
  ['*** Delete File: ', 'deleted'],
] as const;
