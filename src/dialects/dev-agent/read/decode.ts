import { present } from '../../../json/present.ts';
import type { Decoder, DecoderSink } from '../../dialect.ts';
import type { JsonObject } from '../../../json/json.ts';
import { asText, filled, time, whole } from '../../../json/read.ts';
import { readEnding, readError } from './ending.ts';
import { endTool, startTool } from './tools.ts';
import { turnOf } from './turns.ts';

/** No report has more warnings than this, or longer ones. */
const mostErrors = 1000;
const longestError = 1000;

export function decoder(sink: DecoderSink): Decoder {
  let ended = false;
  let task: string | undefined;
  let messages = 0;
  let lastText: string | undefined;
  let hasPublishFailed = false;
  let first: number | undefined;
  let last = 0;
  const errors = new Set<string>();
  /** The end of a turn waits for the next line: the final text of the run, which is in the report, belongs before it. */
  let turnEnd: JsonObject | undefined;

  function line(wire: JsonObject): void {
    // The indented report after the last line repeats it; an object with a type belongs to another run.
    if (ended && (typeof wire.type !== 'string' || wire.type === 'thread.completed')) return;
    ended = false;
    if (wire.type === 'thread.completed') {
      ended = true;
      at(wire);
      return readEnding(wire, sink, {
        task,
        lastText,
        errors,
        hasPublishFailed,
        elapsed: last - (first ?? last),
        closeTurn,
      });
    }
    closeTurn();
    at(wire);
    if (wire.type === 'turn.completed') turnEnd = wire;
    else event(wire);
  }

  function at(wire: JsonObject): void {
    const ms = time(wire.timestamp);
    if (ms === undefined) return;
    sink.at(ms);
    first ??= ms;
    last = ms;
  }

  function event(wire: JsonObject): void {
    switch (wire.type) {
      case 'thread.started':
        return start(wire);
      case 'turn.started':
        return sink.emit({
          type: 'turn.started',
          ...turnOf(wire),
          ...present({ message_count: whole(wire.message_count), tool_count: whole(wire.tool_count) }),
        });
      case 'assistant.message':
        return say(asText(wire.preview));
      case 'item.started':
        return startTool(wire, sink);
      case 'item.completed':
        return endTool(wire, sink);
      case 'error':
        hasPublishFailed ||= wire.scope === 'publish';
        remember(`${asText(wire.scope)}: ${asText(wire.message)}`);
        return readError(wire, sink);
      default:
        return sink.unknown(wire);
    }
  }

  function remember(error: string): void {
    if (errors.size < mostErrors && error.length <= longestError) errors.add(error);
  }

  function start(wire: JsonObject): void {
    task = filled(wire.task);
    lastText = undefined;
    hasPublishFailed = false;
    errors.clear();
    sink.emit({
      type: 'thread.started',
      agent: 'dev-agent',
      ...present({
        session_id: filled(wire.thread_id),
        task,
        project_name: filled(wire.project_name),
        parent_branch_id: filled(wire.parent_branch_id),
        headless: typeof wire.headless === 'boolean' ? wire.headless : undefined,
      }),
    });
  }

  function say(text: string): void {
    if (text.trim() === '') return;
    lastText = text;
    messages += 1;
    sink.emit({ type: 'text.completed', text, message_id: `message_${messages}` });
  }

  function closeTurn(): void {
    if (turnEnd === undefined) return;
    const { tool_call_count, has_final_report } = turnEnd;
    const fields = present({
      tool_call_count: whole(tool_call_count),
      has_final_report: has_final_report === true ? true : undefined,
    });
    sink.emit({ type: 'turn.completed', ...turnOf(turnEnd), ...fields });
    turnEnd = undefined;
  }

  return { line, stderr, end: closeTurn };
}

/** Newer versions print their report on stderr. */
function stderr(_text: string, wire?: JsonObject): boolean {
  return wire !== undefined && typeof wire.status === 'string' && ('is_finished' in wire || 'task' in wire);
}
