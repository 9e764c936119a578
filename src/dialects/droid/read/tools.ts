import type { ItemKind, ItemStatus } from '../../../events/event.ts';
import type { DecoderSink, Json, JsonObject } from '../../dialect.ts';
import { asText, compact, filled, object } from '../../read.ts';
import { kindIn } from '../../tool-kinds.ts';
import { refusal, toolKinds } from '../words.ts';
import { type OpenCall, OpenCalls } from './open-calls.ts';

export class Tools {
  readonly #sink: DecoderSink;
  readonly #calls = new OpenCalls();
  #unnamed = 0;

  constructor(sink: DecoderSink) {
    this.#sink = sink;
  }

  start(wire: JsonObject): void {
    const name = filled(wire.toolName) ?? filled(wire.toolId) ?? 'unknown';
    const id = filled(wire.id) ?? `call_${++this.#unnamed}`;
    const kind = kindOf(name);
    const args = object(wire.parameters);
    const path = kind === 'file_edit' ? (filled(args.file_path) ?? filled(args.path)) : undefined;
    this.#calls.add(id, name, filled(wire.toolId) ?? name, path);
    this.#sink.emit({ type: 'item.started', item_id: id, kind, name, args: wire.parameters ?? null });
  }

  end(wire: JsonObject): void {
    // Results without a call id belong to the oldest open call of their tool.
    const id = filled(wire.id) ?? this.#calls.oldestOf(wire.toolId);
    if (id === undefined) return this.#sink.unknown(wire);
    const call = this.#calls.take(id);
    if (wire.isError === false) return this.#endWell(id, call, wire.value);
    const error = filled(object(wire.error).message) ?? asText(wire.error ?? wire.value);
    this.#sink.emit({ type: 'item.completed', item_id: id, status: failureOf(error, object(wire.error).type), error });
  }

  #endWell(id: string, call: OpenCall | undefined, value: Json | undefined): void {
    this.#sink.emit({ type: 'item.completed', item_id: id, status: 'success', ...compact({ output: value ?? undefined }) });
    if (call?.path === undefined) return;
    const operation = call.name === 'Create' ? 'created' : 'modified';
    this.#sink.emit({ type: 'file.edited', path: call.path, operation, item_id: id });
  }
}

function kindOf(name: string): ItemKind {
  const kind = kindIn(toolKinds, name);
  return kind === 'tool_call' && name.includes('___') ? 'mcp' : kind;
}

function failureOf(message: string, type: Json | undefined): ItemStatus {
  if (type === 'permission_denied' || refusal.test(message.slice(0, 1000))) return 'denied';
  return /^(?:cancell?ed|aborted|interrupted)\b/i.test(message) ? 'cancelled' : 'error';
}
