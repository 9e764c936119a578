import type { JsonObject } from '../dialect.ts';
import { objectIn } from '../read.ts';
import { noPrompt, noteFields, noteStatuses, wrapping } from './words.ts';

/** The model's own JSON may be printed unchanged, so only Continue's own words are proof. */
export function detect(head: readonly JsonObject[], stderr: readonly string[]): number {
  if (head.some((wire) => isWrapped(wire))) return head.every((wire) => isWrapped(wire) || isNote(wire)) ? 1 : 0;
  if (head.some((wire) => isNote(wire))) return head.some((wire) => 'type' in wire) ? 0 : 0.7;
  if (head.length > 0) return 0;
  if (stderr.some((text) => text.startsWith(`Error: ${noPrompt}`))) return 0.9;
  return stderr.some(isErrorLine) ? 0.7 : 0;
}

/** Exactly these three fields: the answer was not JSON and was put into an object. */
export function isWrapped(wire: JsonObject): boolean {
  const { response, status, note, ...rest } = wire;
  return typeof response === 'string' && status === 'success' && typeof note === 'string' && Object.keys(rest).length === 0;
}

export function isNote(wire: JsonObject): boolean {
  if (typeof wire.message !== 'string' || !noteStatuses.has(wire.status)) return false;
  return Object.keys(wire).every((key) => noteFields.has(key));
}

function isErrorLine(text: string): boolean {
  return text.startsWith('{"status":"error"') && isNote(objectIn(text));
}

/** An answer that was cut off: Continue wraps answers in a one-line object that begins with this key. */
export function detectText(text: string): number {
  return text.startsWith(`${wrapping}"`) ? 0.7 : 0;
}
