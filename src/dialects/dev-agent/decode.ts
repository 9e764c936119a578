import type { ItemKind, ItemStatus } from '../../events/event.ts';
import { shapes } from '../../events/shapes.ts';
import type { Decoder, DecoderSink, Json, JsonObject } from '../dialect.ts';
import { codeOfMessage } from '../../faults.ts';
import { asText, compact, count, filled, integer, string, time } from '../read.ts';
import { readEnd } from './report.ts';

const kinds = (shapes['item.started'].kind ?? '').split('|') as ItemKind[];

export function decoder(sink: DecoderSink): Decoder {
  let ended = false;
  let task: string | undefined;
  let messages = 0;
  let lastText: string | undefined;
  /** The end of a turn waits for the next line: the last words of the run, told by the report, belong before it. */
  let turnEnd: JsonObject | undefined;

  function line(wire: JsonObject): void {
    // The pretty report that follows the last line is the same report again.
    if (ended) return;
    if (wire.type === 'thread.completed') {
      ended = true;
      at(wire);
      return readEnd(wire, sink, { task, lastText, closeTurn });
    }
    closeTurn();
    at(wire);
    if (wire.type === 'turn.completed') turnEnd = wire;
    else event(wire);
  }

  function at(wire: JsonObject): void {
    const ms = time(wire.timestamp);
    if (ms !== undefined) sink.at(ms);
  }

  function closeTurn(): void {
    if (turnEnd === undefined) return;
    const { tool_call_count, has_final_report } = turnEnd;
    const fields = compact({ tool_call_count: whole(tool_call_count), has_final_report: has_final_report === true ? true : undefined });
    sink.emit({ type: 'turn.completed', ...turnOf(turnEnd), ...fields });
    turnEnd = undefined;
  }

  function event(wire: JsonObject): void {
    switch (wire.type) {
      case 'thread.started':
        task = filled(wire.task);
        return sink.emit({
          type: 'thread.started',
          agent: 'dev-agent',
          ...compact({
            session_id: filled(wire.thread_id),
            task,
            project_name: filled(wire.project_name),
            parent_branch_id: filled(wire.parent_branch_id),
            headless: typeof wire.headless === 'boolean' ? wire.headless : undefined,
          }),
        });
      case 'turn.started':
        return sink.emit({
          type: 'turn.started',
          ...turnOf(wire),
          ...compact({ message_count: whole(wire.message_count), tool_count: whole(wire.tool_count) }),
        });
      case 'assistant.message': {
        const text = asText(wire.preview);
        if (text.trim() === '') return;
        lastText = text;
        messages += 1;
        return sink.emit({ type: 'text.completed', text, message_id: `message_${messages}` });
      }
      case 'item.started': {
        const id = filled(wire.item_id);
        if (id === undefined) return sink.unknown(wire);
        const name = asText(wire.name);
        return sink.emit({ type: 'item.started', item_id: id, kind: kindOf(wire.kind, name), name, args: wire.args ?? {} });
      }
      case 'item.completed':
        return completed(wire);
      case 'error':
        return failure(wire);
      default:
        return sink.unknown(wire);
    }
  }

  function completed(wire: JsonObject): void {
    const id = filled(wire.item_id);
    if (id === undefined) return sink.unknown(wire);
    const status: ItemStatus = wire.status === 'success' ? 'success' : 'error';
    const summary = string(wire.summary);
    sink.emit({
      type: 'item.completed',
      item_id: id,
      status,
      ...compact({
        output: status === 'success' ? summary : undefined,
        error: status === 'success' ? undefined : summary,
        duration_ms: count(wire.duration_ms),
        branch_id: filled(wire.branch_id),
        summary,
      }),
    });
  }

  function failure(wire: JsonObject): void {
    const scope = filled(wire.scope) ?? 'unknown';
    const message = asText(wire.message);
    const code = codeOfMessage(message);
    sink.emit({
      type: 'error',
      scope,
      code: code === 'unknown' ? codeOfScope(scope) : code,
      message,
      // Calls against the policy are not run, and an instruction to stop ends the run in order; the rest is up to the end.
      fatal: scope !== 'tool_policy' && scope !== 'tool_instruction',
      ...compact({ iteration: whole(wire.iteration), turn_id: filled(wire.turn_id), item_id: filled(wire.item_id) }),
    });
  }

  return { line, stderr, end: closeTurn };
}

function turnOf(wire: JsonObject): { turn_id?: string; iteration?: number } {
  return compact({ turn_id: filled(wire.turn_id), iteration: whole(wire.iteration) });
}

function whole(value: Json | undefined): number | undefined {
  const number = integer(value);
  return number === undefined || number < 0 ? undefined : number;
}

function codeOfScope(scope: string): 'server' | 'tool' | 'unknown' {
  if (scope === 'llm.complete') return 'server';
  return scope.startsWith('tool') || scope === 'publish' || scope.startsWith('mcp') ? 'tool' : 'unknown';
}

function kindOf(kind: Json | undefined, name: string): ItemKind {
  if (name === 'publish') return 'publish';
  return kinds.find((each) => each === kind) ?? 'tool_call';
}

/** Newer versions print their report on stderr. */
function stderr(_text: string, wire?: JsonObject): boolean {
  return wire !== undefined && typeof wire.status === 'string' && ('is_finished' in wire || 'task' in wire);
}
