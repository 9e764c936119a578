import { eventIn } from '../../events/check.ts';
import type { ErrorCode, EventOf } from '../../events/event.ts';
import { codeOfMessage } from '../../outcome/faults.ts';
import type { Json } from '../../json/json.ts';
import type { ToolKinds } from '../kit/tool-kinds.ts';

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

/** The input fields in which an editing tool names its file. */
export const pathFields = ['file_path', 'notebook_path'];

/** The beginning of the result of an interrupted call. */
export const cancelMark = '[Operation Cancelled]';

/** The beginning of a text that comes from the API rather than the model. */
const errorMark = '[API Error';

/** The `type` of a fatal error on stderr. */
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

/** The `system` subtype under which Runwire writes logs and transient errors, for which this dialect has no line. */
export const foreignSubtype = 'runwire';

/** An error returned by the API is printed as if it were the model's text. */
export function isApiError(text: string): boolean {
  return text.startsWith(errorMark);
}

/** An error in the middle of an answer is appended to the model's text so far. */
export function splitApiError(text: string, isAnswerCut: boolean): { spoken: string; error: string | undefined } {
  if (isApiError(text)) return { spoken: '', error: text };
  if (!isAnswerCut || !text.endsWith(']')) return { spoken: text, error: undefined };
  const at = text.lastIndexOf(`${errorMark}: `);
  return at === -1 ? { spoken: text, error: undefined } : { spoken: text.slice(0, at), error: text.slice(at) };
}

export function unwrapApiError(text: string): string {
  const head = `${errorMark}: `;
  return text.startsWith(head) && text.endsWith(']') ? text.slice(head.length, -1) : text;
}

export function wrapApiError(message: string): string {
  return isApiError(message) ? message : `${errorMark}: ${message}]`;
}

/** `type`: the code itself, if Runwire wrote the line. */
export function codeOfError(message: string, type?: Json): ErrorCode {
  const named = type === undefined ? undefined : eventIn({ type: 'agent.finished', status: 'failed', code: type });
  if (named?.type === 'agent.finished' && named.code !== undefined) return named.code;
  // The model answered, but with nothing: not a connection error, whatever the wording suggests.
  return message.includes('empty response') ? 'unknown' : codeOfMessage(message);
}
