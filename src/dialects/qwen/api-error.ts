import { eventIn } from '../../events/check.ts';
import type { ErrorCode } from '../../events/event.ts';
import type { Json } from '../dialect.ts';
import { codeOfMessage } from '../../faults.ts';
import { errorMark } from './words.ts';

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
