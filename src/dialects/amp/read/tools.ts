import { present } from '../../../present.ts';
import type { DecoderSink, Json, JsonObject } from '../../dialect.ts';
import { asText, filled, object } from '../../read.ts';
import { editedPath, kindIn, mcpName } from '../../tool-kinds.ts';
import { toolKinds } from '../words.ts';

interface OpenCall {
  name: string;
  path: string | undefined;
}

export class Tools {
  readonly #sink: DecoderSink;
  readonly #calls = new Map<string, OpenCall>();

  constructor(sink: DecoderSink) {
    this.#sink = sink;
  }

  isOpen(id: string): boolean {
    return this.#calls.has(id);
  }

  start(id: string, part: JsonObject, parent: string | undefined): void {
    const name = filled(part.name) ?? 'unknown';
    const kind = kindIn(toolKinds, name, mcpName);
    this.#calls.set(id, { name, path: editedPath(kind, part.input, ['path']) });
    this.#sink.emit({ type: 'item.started', item_id: id, kind, name, args: part.input ?? null, ...present({ parent_item_id: parent }) });
  }

  end(id: string, part: JsonObject): void {
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    const good = part.is_error !== true;
    this.#sink.emit({ type: 'item.completed', item_id: id, status: good ? 'success' : 'error', output: outputOf(part.content) });
    if (!good || call?.path === undefined) return;
    const operation = call.name === 'create_file' ? 'created' : 'modified';
    this.#sink.emit({ type: 'file.edited', path: call.path, operation, item_id: id });
  }
}

function outputOf(content: Json | undefined): Json {
  if (!Array.isArray(content)) return content ?? '';
  return content.flatMap((each) => (object(each).type === 'text' ? [asText(object(each).text)] : [])).join('\n');
}
