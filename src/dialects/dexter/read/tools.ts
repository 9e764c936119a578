import { OpenIds } from '../../../ids/open-ids.ts';
import type { FileOperation, ItemStatus } from '../../../events/event.ts';
import { present } from '../../../json/present.ts';
import type { DecoderSink } from '../../dialect.ts';
import type { Json, JsonObject } from '../../../json/json.ts';
import { objectIn } from '../../../json/parse.ts';
import { OpenCalls, type Waiting } from '../../kit/open-calls.ts';
import { asText, count, filled, integer, object, string } from '../../../json/read.ts';
import { kindIn } from '../../kit/tool-kinds.ts';
import { errorPrefix, operationOf, toolKinds } from '../words.ts';

interface Edit {
  path: string;
  operation: FileOperation;
}

interface Call extends Waiting<Call> {
  readonly id: string;
  readonly edit: Edit | undefined;
}

/** The tool lines of the event stream. Versions without call ids pair by name, in the order the calls started. */
export class Tools {
  readonly #sink: DecoderSink;
  readonly #calls = new OpenIds<Call>();
  readonly #open = new OpenCalls<Call>();
  #count = 0;

  constructor(sink: DecoderSink) {
    this.#sink = sink;
  }

  start(wire: JsonObject): Call {
    const tool = asText(wire.tool);
    this.#count += 1;
    const id = filled(wire.toolCallId) ?? `call_${this.#count}`;
    const args = wire.args ?? {};
    const call: Call = { id, tool, edit: editOf(tool, args) };
    this.#close(id);
    this.#calls.set(id, call);
    this.#open.open(call);
    this.#sink.emit({ type: 'item.started', item_id: id, kind: kindIn(toolKinds, tool), name: tool, args });
    return call;
  }

  isRunning(wire: JsonObject): boolean {
    return (
      (filled(wire.toolCallId) === undefined ? this.#open.first(asText(wire.tool)) : this.#named(wire)) !== undefined
    );
  }

  progress(wire: JsonObject): void {
    this.#sink.emit({
      type: 'item.output',
      item_id: this.#callOf(wire).id,
      stream: 'progress',
      chunk: asText(wire.message),
    });
  }

  /** `tool_end` or `tool_error`. */
  end(wire: JsonObject): void {
    const { id, edit } = this.#callOf(wire);
    this.#close(id);
    const tool = asText(wire.tool);
    const duration = present({ duration_ms: count(wire.duration) });
    if (wire.type === 'tool_error')
      return this.#sink.emit({
        type: 'item.completed',
        item_id: id,
        status: 'error',
        error: asText(wire.error),
        ...duration,
      });
    const result = finished(tool, wire.result);
    this.#sink.emit({ type: 'item.completed', item_id: id, ...result, output: asText(wire.result), ...duration });
    if (result.status === 'success') emitEdit(editOf(tool, wire.args) ?? edit, id, this.#sink);
  }

  /** A denied call has usually not been started, so one without an id is never a running one. */
  deny(wire: JsonObject): void {
    const named = this.#named(wire);
    const { id } = named ?? this.start(wire);
    this.#close(id);
    this.#sink.emit({ type: 'item.completed', item_id: id, status: 'denied' });
  }

  /** The running call to which a line refers; one that never started is started now. */
  #callOf(wire: JsonObject): Call {
    const isNamed = filled(wire.toolCallId) !== undefined;
    return (isNamed ? this.#named(wire) : this.#open.first(asText(wire.tool))) ?? this.start(wire);
  }

  #named(wire: JsonObject): Call | undefined {
    const id = filled(wire.toolCallId);
    return id === undefined ? undefined : this.#calls.get(id);
  }

  #close(id: string): void {
    const call = this.#calls.get(id);
    if (call === undefined) return;
    this.#calls.delete(id);
    this.#open.close(call);
  }
}

/** A call with its result in one object: in a response, in the last event, in a scratchpad. */
export function readTool(tool: JsonObject, id: string, sink: DecoderSink): void {
  const name = string(tool.name) ?? string(tool.tool) ?? 'unknown';
  const end = finished(name, tool.result);
  sink.emit({ type: 'item.started', item_id: id, kind: kindIn(toolKinds, name), name, args: tool.args ?? {} });
  sink.emit({ type: 'item.completed', item_id: id, ...end, ...resultOf(end.status, tool.result) });
  if (end.status === 'success') emitEdit(editOf(name, tool.args), id, sink);
}

/** A command that exits with a code has an output; only Dexter's own refusals are bare error texts. */
function resultOf(status: string, result: Json | undefined): { output?: string; error?: string } {
  const text = asText(result);
  return status === 'error' && text.startsWith(errorPrefix)
    ? { error: text.slice(errorPrefix.length) }
    : { output: text };
}

function emitEdit(edit: Edit | undefined, itemId: string, sink: DecoderSink): void {
  if (edit !== undefined) sink.emit({ type: 'file.edited', ...edit, item_id: itemId });
}

/** How a call ended, in our terms. To Dexter, a failed command is a normal result: its exit code is inside the JSON text. */
export function finished(tool: string, result: Json | undefined): { status: ItemStatus; exit_code?: number } {
  if (typeof result === 'string' && result.startsWith(errorPrefix)) return { status: 'error' };
  if (tool !== 'bash') return { status: 'success' };
  const data = object((typeof result === 'string' ? objectIn(result) : object(result)).data);
  const exit_code = integer(data.exitCode);
  const failed = data.timedOut === true || (exit_code !== undefined && exit_code !== 0);
  const status = data.interrupted === true ? 'cancelled' : failed ? 'error' : 'success';
  return { status, ...present({ exit_code }) };
}

/** The file that this call writes if it succeeds: not on the wire, but it follows from the arguments. */
function editOf(tool: string, args: Json | undefined): Edit | undefined {
  const operation = Object.hasOwn(operationOf, tool) ? operationOf[tool] : undefined;
  const path = string(object(args).path);
  return operation === undefined || path === undefined ? undefined : { path, operation };
}
