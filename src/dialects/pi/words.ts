import type { FinishReason } from '../../events/event.ts';
import type { ToolKinds } from '../kit/tool-kinds.ts';

export const toolKinds: ToolKinds = {
  bash: 'command',
  read: 'read',
  ls: 'search',
  write: 'file_edit',
  edit: 'file_edit',
  grep: 'search',
  find: 'search',
};

/** The values of `stopReason` → ours. */
export const finishReasons: Readonly<Record<string, FinishReason>> = {
  stop: 'stop',
  length: 'length',
  toolUse: 'tool_calls',
  error: 'error',
  aborted: 'aborted',
};

/** The reverse. */
export const stopReasons: Readonly<Record<FinishReason, string>> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'toolUse',
  content_filter: 'error',
  error: 'error',
  aborted: 'aborted',
  other: 'stop',
};
