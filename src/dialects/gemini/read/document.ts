import type { FinishReason } from '../../../events/event.ts';
import { present } from '../../../json/present.ts';
import type { DecoderSink } from '../../dialect.ts';
import type { JsonObject } from '../../../json/json.ts';
import { asText, filled, integer, isObject, list, object, string } from '../../../json/read.ts';
import { readEnding } from './ending.ts';
import { emitCalls, readToolCounts } from './tools.ts';
import { readDocumentUsage } from './usage.ts';

const known = new Set(['session_id', 'response', 'stats', 'error', 'warnings']);

/** Fields of the stream: a line of it whose type is damaged is no document. */
const ofLines = ['tool_id', 'tool_name', 'timestamp', 'role', 'content', 'output'] as const;

/** Whether this is the error document that `--output-format json` writes, and not an API's error body. */
export function isErrorDocument(wire: JsonObject): boolean {
  if (wire.type !== undefined || ofLines.some((name) => name in wire)) return false;
  return isObject(wire.error) && typeof wire.error.type === 'string';
}

/** The one object of `--output-format json`; false: this is not one. `introduced` is called once it has named its session. */
export function readDocument(sink: DecoderSink, wire: JsonObject, introduced: () => void): boolean {
  if (!isErrorDocument(wire) && typeof wire.response !== 'string' && !isObject(wire.stats)) return false;
  sink.emit({ type: 'thread.started', agent: 'gemini', ...present({ session_id: filled(wire.session_id) }) });
  introduced();
  const stats = object(wire.stats);
  const tools = readToolCounts(stats);
  const response = filled(wire.response);
  const spoke = response !== undefined || tools.length > 0;
  for (const warning of list(wire.warnings))
    sink.emit({ type: 'log', stream: 'agent', level: 'warning', text: asText(warning) });
  if (spoke) sink.emit({ type: 'turn.started' });
  emitCalls(sink, tools);
  if (tools.length > 0 && response !== undefined) {
    sink.emit({ type: 'turn.completed', finish_reason: 'tool_calls' });
    sink.emit({ type: 'turn.started' });
  }
  if (response !== undefined) sink.emit({ type: 'text.completed', text: response });
  readDocumentUsage(sink, stats);
  const failed = 'error' in wire;
  // A document with missing or misspelt parts claims nothing: it may be a damaged report of a failure.
  const ok = !failed && typeof wire.response === 'string' && isObject(wire.stats) && !holdsUnknownError(wire);
  const reason: FinishReason | undefined = ok ? 'stop' : failed ? 'error' : undefined;
  if (spoke) sink.emit({ type: 'turn.completed', ...present({ finish_reason: reason }) });
  const error = object(wire.error);
  if (ok || failed)
    readEnding(sink, { ok, message: string(error.message), type: string(error.type), status: integer(error.code) });
  return true;
}

function holdsUnknownError(wire: JsonObject): boolean {
  // Statistics are objects: a text among them was part of something else.
  const stats = object(wire.stats);
  if (Object.values(stats).some((value) => typeof value === 'string')) return true;
  for (const key in wire) {
    const value = wire[key];
    if (!known.has(key) && isObject(value) && ('message' in value || 'type' in value)) return true;
  }
  return false;
}
