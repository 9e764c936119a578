import type { FileOperation, ItemStatus } from '../../../events/event.ts';
import { present } from '../../../present.ts';
import type { DecoderSink, Json, JsonObject } from '../../dialect.ts';
import { asText, filled, integer, isObject, object, wordIn } from '../../read.ts';
import { kindIn } from '../../tool-kinds.ts';
import { operations, toolKinds } from '../words.ts';

interface Call {
  /** Cursor's own word for the tool. */
  tool: string;
  name: string;
  native: string;
  args: Json | undefined;
  result: Json | undefined;
}

interface Edit {
  path: string;
  operation: FileOperation;
}

export class Tools {
  readonly #sink: DecoderSink;
  readonly #onStart: () => void;
  /** The open calls, and what each changes if it succeeds. */
  readonly #calls = new Map<string, Edit | undefined>();

  constructor(sink: DecoderSink, onStart: () => void) {
    this.#sink = sink;
    this.#onStart = onStart;
  }

  read(wire: JsonObject): void {
    const id = filled(wire.call_id);
    const call = callOf(object(wire.tool_call));
    if (id === undefined || call === undefined) return this.#sink.unknown(wire);
    switch (wire.subtype) {
      case 'started':
        return this.#start(id, call);
      case 'completed':
        if (!this.#calls.has(id)) this.#start(id, call);
        return this.#end(id, call.result);
      default:
        return this.#sink.unknown(wire);
    }
  }

  #start(id: string, { tool, native, name, args }: Call): void {
    this.#onStart();
    this.#calls.set(id, editOf(tool, args));
    this.#sink.emit({ type: 'item.started', item_id: id, kind: kindIn(toolKinds, tool), name, args: args ?? null, native_name: native });
  }

  #end(id: string, result: Json | undefined): void {
    const edit = this.#calls.get(id);
    this.#calls.delete(id);
    const end = endOf(result);
    this.#sink.emit({ type: 'item.completed', item_id: id, ...end });
    if (end.status === 'success' && edit !== undefined) this.#sink.emit({ type: 'file.edited', ...edit, item_id: id });
  }
}

function editOf(tool: string, args: Json | undefined): Edit | undefined {
  const operation = wordIn(operations, tool);
  const path = filled(object(args).path);
  return operation === undefined || path === undefined ? undefined : { path, operation };
}

/** `{shellToolCall: {args, result}}`, or `{function: {name, arguments}}` for tools without their own kind. */
function callOf(wire: JsonObject): Call | undefined {
  for (const key in wire) {
    const body = wire[key];
    if (!isObject(body)) continue;
    const { result } = body;
    if (key === 'function') {
      const name = filled(body.name) ?? 'function';
      const args = typeof body.arguments === 'string' ? parsed(body.arguments) : body.arguments;
      return { tool: name, name, native: key, args, result };
    }
    if (!key.endsWith('ToolCall')) continue;
    const tool = key.slice(0, -'ToolCall'.length);
    const name = tool === 'mcp' ? (filled(object(body.args).toolName) ?? filled(object(body.args).name) ?? tool) : tool;
    return { tool, name, native: key, args: body.args, result };
  }
  return undefined;
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

function endOf(result: Json | undefined): { status: ItemStatus; output?: Json; error?: string; exit_code?: number } {
  const wire = object(result);
  const good = wire.success;
  if (good !== undefined) {
    const exit = integer(object(good).exitCode);
    return { status: exit === undefined || exit === 0 ? 'success' : 'error', output: good, ...present({ exit_code: exit }) };
  }
  if (wire.rejected !== undefined) return { status: 'denied', error: reasonOf(wire.rejected) };
  const bad = wire.failure ?? wire.error;
  if (bad === undefined) return { status: 'error', ...present({ output: result ?? undefined }) };
  const exit = integer(object(bad).exitCode);
  return { status: 'error', output: bad, error: reasonOf(bad), ...present({ exit_code: exit }) };
}

function reasonOf(value: Json): string {
  const wire = object(value);
  return filled(wire.reason) ?? filled(wire.message) ?? filled(wire.error) ?? filled(wire.stderr) ?? asText(value);
}
