import type { ErrorCode, EventOf } from '../../events/event.ts';
import type { ToolKinds } from '../tool-kinds.ts';

export const toolKinds: ToolKinds = {
  run_shell_command: 'command',
  monitor: 'command',
  edit: 'file_edit',
  replace: 'file_edit',
  write_file: 'file_edit',
  notebook_edit: 'file_edit',
  read_file: 'read',
  read_many_files: 'read',
  zoom_image: 'read',
  grep_search: 'search',
  search_file_content: 'search',
  glob: 'search',
  list_directory: 'search',
  web_fetch: 'web',
  web_search: 'web',
  google_web_search: 'web',
  agent: 'subagent',
  task: 'subagent',
  todo_write: 'plan',
  exit_plan_mode: 'plan',
  read_mcp_resource: 'mcp',
};

/** How the result of a call that was interrupted begins. */
export const cancelMark = '[Operation Cancelled]';

/** How a text begins that is not the model's but the API's. */
export const errorMark = '[API Error';

/** `type` of a fatal error on stderr. */
export const fatalTypes: ReadonlyMap<string, ErrorCode> = new Map([
  ['FatalAuthenticationError', 'config'],
  ['FatalInputError', 'input'],
  ['FatalSandboxError', 'config'],
  ['FatalConfigError', 'config'],
  ['FatalToolExecutionError', 'tool'],
  ['FatalCancellationError', 'cancelled'],
]);

export const exitCodes: ReadonlyMap<number, ErrorCode> = new Map([
  [41, 'config'],
  [42, 'input'],
  [44, 'config'],
  [52, 'config'],
  [53, 'turn_limit'],
  [54, 'tool'],
  [55, 'time_limit'],
  [130, 'cancelled'],
]);

/** The program's own limits, by what it calls them on stderr or in the message of an error result. */
export const limits: readonly (readonly [mark: string, limit: EventOf<'limit.reached'>['limit']])[] = [
  ['max session turns', 'turns'],
  ['--max-wall-time', 'time'],
  ['--max-tool-calls', 'tool_calls'],
];

/** The `system` subtype under which Runwire writes logs and passing errors, which have no line of their own in this dialect. */
export const foreignSubtype = 'runwire';
