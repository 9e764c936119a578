import type { FinishReason } from '../../events/event.ts';
import type { DecoderSink, JsonObject } from '../dialect.ts';
import { asText, compact, count, filled, integer, isObject, list, object, string } from '../read.ts';
import { emitFailure } from './failure.ts';
import { kindOf } from './tools.ts';
import { documentTokens, emitUsage } from './usage.ts';

const known = new Set(['session_id', 'response', 'stats', 'error', 'warnings']);
/** No run makes this many calls; a larger number is damage. */
const maxCalls = 10_000;

/** Whether this is the error document that `--output-format json` writes, and not an API's error body. */
export function isErrorDocument(wire: JsonObject): boolean {
  return wire.type === undefined && isObject(wire.error) && typeof wire.error.type === 'string';
}

/** The one object of `--output-format json`; false: it is none. `introduced` is called when it has named its session. */
export function readDocument(sink: DecoderSink, wire: JsonObject, introduced: () => void): boolean {
  if (!isErrorDocument(wire) && typeof wire.response !== 'string' && !isObject(wire.stats)) return false;
  sink.emit({ type: 'thread.started', agent: 'gemini', ...compact({ session_id: filled(wire.session_id) }) });
  introduced();
  const stats = object(wire.stats);
  const tools = toolCounts(stats);
  const response = filled(wire.response);
  const spoke = response !== undefined || tools.length > 0;
  for (const warning of list(wire.warnings)) sink.emit({ type: 'log', stream: 'agent', level: 'warning', text: asText(warning) });
  if (spoke) sink.emit({ type: 'turn.started' });
  emitCalls(sink, tools);
  if (tools.length > 0 && response !== undefined) {
    sink.emit({ type: 'turn.completed', finish_reason: 'tool_calls' });
    sink.emit({ type: 'turn.started' });
  }
  if (response !== undefined) sink.emit({ type: 'text.completed', text: response });
  emitUsage(sink, documentTokens(stats));
  const failed = 'error' in wire;
  // A document whose parts are missing or misspelt claims nothing: it may be a failure that was damaged.
  const ok = !failed && typeof wire.response === 'string' && isObject(wire.stats) && !holdsUnknownError(wire);
  const reason: FinishReason | undefined = ok ? 'stop' : failed ? 'error' : undefined;
  if (spoke) sink.emit({ type: 'turn.completed', ...compact({ finish_reason: reason }) });
  if (ok) sink.emit({ type: 'agent.finished', status: 'ok' });
  else if (failed) {
    const error = object(wire.error);
    emitFailure(sink, { message: string(error.message), type: string(error.type), status: integer(error.code) });
  }
  return true;
}

function holdsUnknownError(wire: JsonObject): boolean {
  for (const key in wire) {
    const value = wire[key];
    if (!known.has(key) && isObject(value) && ('message' in value || 'type' in value)) return true;
  }
  return false;
}

interface ToolCount {
  name: string;
  calls: number;
  failed: number;
  rejected: number;
}

/** Calls are told as numbers per tool: how many, how many failed, how many somebody refused. */
function toolCounts(stats: JsonObject): ToolCount[] {
  return Object.entries(object(object(stats.tools).byName)).flatMap(([name, wire]) => {
    const tool = object(wire);
    const calls = Math.min(count(tool.count) ?? 0, maxCalls);
    const rejected = count(object(tool.decisions).reject) ?? 0;
    return name === '' || calls < 1 ? [] : [{ name, calls, failed: count(tool.fail) ?? 0, rejected }];
  });
}

/** Order and inputs are not told; all calls start, then all end, as in one batch. */
function emitCalls(sink: DecoderSink, tools: readonly ToolCount[]): void {
  for (const { name, calls } of tools) {
    for (let call = 1; call <= calls; call += 1) {
      sink.emit({ type: 'item.started', item_id: `${name}_${call}`, kind: kindOf(name), name, args: {} });
    }
  }
  for (const { name, calls, failed, rejected } of tools) {
    for (let call = 1; call <= calls; call += 1) {
      // Which of them failed is not told: the first ones, so that a run that went on does not look stuck on a failure.
      const status = call > failed ? 'success' : call <= rejected ? 'denied' : 'error';
      sink.emit({ type: 'item.completed', item_id: `${name}_${call}`, status });
    }
  }
}
