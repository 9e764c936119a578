import { eventIn } from '../../events/check.ts';
import type { ErrorCode, EventOf } from '../../events/event.ts';
import { codeOfMessage } from '../../faults.ts';
import type { Json } from '../dialect.ts';
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

/** Where the input of a tool that edits names its file. */
export const pathFields = ['file_path', 'notebook_path'];

/** How the result of a call that was interrupted begins. */
export const cancelMark = '[Operation Cancelled]';

/** How a text begins that is not the model's but the API's. */
const errorMark = '[API Error';

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

/** What the API answered instead of the model is printed as the model's text. */
export function isApiError(text: string): boolean {
  return text.startsWith(errorMark);
}

/** An error that struck in mid-answer is glued to the end of what the model had said. */
export function splitApiError(text: string, isAnswerCut: boolean): { said: string; error: string | undefined } {
  if (isApiError(text)) return { said: '', error: text };
  if (!isAnswerCut || !text.endsWith(']')) return { said: text, error: undefined };
  const at = text.lastIndexOf(`${errorMark}: `);
  return at === -1 ? { said: text, error: undefined } : { said: text.slice(0, at), error: text.slice(at) };
}

export function unwrapApiError(text: string): string {
  const head = `${errorMark}: `;
  return text.startsWith(head) && text.endsWith(']') ? text.slice(head.length, -1) : text;
}

export function wrapApiError(message: string): string {
  return isApiError(message) ? message : `${errorMark}: ${message}]`;
}

/** `type`: the code itself, where Runwire wrote the line. */
export function codeOfError(message: string, type?: Json): ErrorCode {
  const named = type === undefined ? undefined : eventIn({ type: 'agent.finished', status: 'failed', code: type });
  if (named?.type === 'agent.finished' && named.code !== undefined) return named.code;
  // The model answered, but with nothing: no fault of the connection, whatever the wording suggests.
  return message.includes('empty response') ? 'unknown' : codeOfMessage(message);
}
