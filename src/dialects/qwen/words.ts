import { eventIn } from '../../events/check.ts';
import type { ErrorCode, EventOf } from '../../events/event.ts';
import type { Json } from '../dialect.ts';
import { codeOfMessage } from '../../faults.ts';

/** What the API answered instead of the model is printed as the model's text. */
const errorMark = '[API Error';

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

export function codeOfFault(message: string, type?: Json): ErrorCode {
  const named = type === undefined ? undefined : eventIn({ type: 'agent.finished', status: 'failed', code: type });
  if (named?.type === 'agent.finished' && named.code !== undefined) return named.code;
  // The model answered, but with nothing: no fault of the connection, whatever the wording suggests.
  return message.includes('empty response') ? 'unknown' : codeOfMessage(message);
}

/** The program's own limits, told in a sentence on stderr or as the message of an error result. */
export function limitIn(message: string): EventOf<'limit.reached'>['limit'] | undefined {
  if (message.includes('max session turns')) return 'turns';
  if (message.includes('--max-wall-time')) return 'time';
  return message.includes('--max-tool-calls') ? 'tool_calls' : undefined;
}

const refusal =
  /requires permission to use [^\n]{1,200}? but that permission was declined|^Non-interactive deny: |is not listed in the active core tools allowlist|^Tool "[^"\n]{1,200}" is blocked in plan mode|^Plan mode blocked /;

export function isRefusal(output: string): boolean {
  return refusal.test(output.length > 1000 ? output.slice(0, 1000) : output);
}

export const cancelMark = '[Operation Cancelled]';

/** Shorter beginnings than this repeat by chance. */
const shortestHead = 8;

/**
 * The attempts in a text that was begun anew after each retry: what was delivered before the cut stays, and the next
 * attempt follows it without a gap. The wire has no mark for the joint, but attempts begin alike, and the last is whole.
 */
export function attemptsIn(text: string, retries: number): string[] {
  const head = text.slice(0, shortestHead);
  if (retries === 0 || head.length < shortestHead) return [text];
  const starts = [0];
  for (let at = text.indexOf(head, 1); at !== -1 && starts.length <= retries; at = text.indexOf(head, at + 1)) starts.push(at);
  const last = text.slice(starts.at(-1));
  const attempts = starts.map((start, index) => text.slice(start, starts[index + 1]));
  return attempts.every((each) => last.startsWith(each)) ? attempts : [text];
}
