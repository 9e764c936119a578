import type { ItemStatus } from '../../../events/event.ts';
import { present } from '../../../present.ts';
import type { DecoderSink, Json, JsonObject } from '../../dialect.ts';
import { OpenCalls, type Waiting } from '../../open-calls.ts';
import { asText, filled, object, string } from '../../read.ts';
import { editedPath, kindIn } from '../../tool-kinds.ts';
import { mcpName, refusal, toolKinds } from '../words.ts';

interface OpenCall extends Waiting<OpenCall> {
  readonly id: string;
  readonly name: string;
  readonly path: string | undefined;
}

export class Tools {
  readonly #sink: DecoderSink;
  readonly #calls = new Map<string, OpenCall>();
  readonly #waiting = new OpenCalls<OpenCall>();
  #unnamed = 0;

  constructor(sink: DecoderSink) {
    this.#sink = sink;
  }

  start(wire: JsonObject): void {
    const name = filled(wire.toolName) ?? filled(wire.toolId) ?? 'unknown';
    const id = filled(wire.id) ?? `call_${++this.#unnamed}`;
    const kind = kindIn(toolKinds, name, mcpName);
    const call: OpenCall = { id, name, tool: filled(wire.toolId) ?? name, path: editedPath(kind, wire.parameters, ['file_path', 'path']) };
    this.#take(id);
    this.#calls.set(id, call);
    this.#waiting.open(call);
    this.#sink.emit({ type: 'item.started', item_id: id, kind, name, args: wire.parameters ?? null });
  }

  end(wire: JsonObject): void {
    // Results without a call id belong to the oldest open call of their tool.
    const id = filled(wire.id) ?? this.#waiting.first(string(wire.toolId) ?? '')?.id;
    if (id === undefined) return this.#sink.unknown(wire);
    const call = this.#take(id);
    if (wire.isError === false) return this.#endWell(id, call, wire.value);
    const error = filled(object(wire.error).message) ?? asText(wire.error ?? wire.value);
    this.#sink.emit({ type: 'item.completed', item_id: id, status: failureOf(error, object(wire.error).type), error });
  }

  #take(id: string): OpenCall | undefined {
    const call = this.#calls.get(id);
    if (call === undefined) return undefined;
    this.#calls.delete(id);
    this.#waiting.close(call);
    return call;
  }

  #endWell(id: string, call: OpenCall | undefined, value: Json | undefined): void {
    this.#sink.emit({ type: 'item.completed', item_id: id, status: 'success', ...present({ output: value ?? undefined }) });
    if (call?.path === undefined) return;
    const operation = call.name === 'Create' ? 'created' : 'modified';
    this.#sink.emit({ type: 'file.edited', path: call.path, operation, item_id: id });
  }
}

function failureOf(message: string, type: Json | undefined): ItemStatus {
  if (type === 'permission_denied' || refusal.test(message.slice(0, 1000))) return 'denied';
  return /^(?:cancell?ed|aborted|interrupted)\b/i.test(message) ? 'cancelled' : 'error';
}
