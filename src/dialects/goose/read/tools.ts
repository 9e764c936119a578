import type { ItemKind, ItemStatus } from '../../../events/event.ts';
import { present } from '../../../present.ts';
import type { DecoderSink, Json, JsonObject } from '../../dialect.ts';
import { asText, filled, list, object } from '../../read.ts';
import { editedPath, kindIn } from '../../tool-kinds.ts';
import { extensionKinds, refusal, toolKinds } from '../words.ts';

export class Tools {
  readonly #sink: DecoderSink;
  /** The open calls, and the file that each changes if it succeeds. */
  readonly #calls = new Map<string, string | undefined>();

  constructor(sink: DecoderSink) {
    this.#sink = sink;
  }

  get areOpen(): boolean {
    return this.#calls.size > 0;
  }

  start(id: string, call: JsonObject): void {
    const value = object(call.value);
    const name = filled(value.name) ?? 'unknown';
    const args = object(value.arguments);
    const kind = kindOf(name, args);
    this.#calls.set(id, editedPath(kind, args, ['path', 'file_path']));
    this.#sink.emit({ type: 'item.started', item_id: id, kind, name, args: value.arguments ?? null });
    // The model's call could not be read: no response follows.
    if (call.status === 'error') this.#end(id, 'error', undefined, asText(call.error));
  }

  end(id: string, result: JsonObject): void {
    if (result.status === 'error') {
      const error = asText(result.error);
      return this.#end(id, refusal.test(error) ? 'denied' : 'error', undefined, error);
    }
    // Until 2026 the value was the list of contents itself.
    const value = object(result.value);
    const contents = Array.isArray(result.value) ? result.value : list(value.content);
    const output = contents.length === 0 ? (value.structuredContent ?? '') : textOf(contents);
    if (typeof output === 'string' && refusal.test(output.slice(0, 500))) return this.#end(id, 'denied', undefined, output);
    const good = result.status === 'success' && value.isError !== true;
    this.#end(id, good ? 'success' : 'error', output, undefined);
  }

  #end(id: string, status: ItemStatus, output: Json | undefined, error: string | undefined): void {
    const path = this.#calls.get(id);
    this.#calls.delete(id);
    this.#sink.emit({ type: 'item.completed', item_id: id, status, ...present({ output, error }) });
    if (status === 'success' && path !== undefined) this.#sink.emit({ type: 'file.edited', path, operation: 'modified', item_id: id });
  }
}

function textOf(contents: readonly Json[]): string {
  return contents.flatMap((each) => (object(each).type === 'text' ? [asText(object(each).text)] : [])).join('\n');
}

/** Tools are named `extension__tool`; newer releases leave out the name of the built-in extension. */
function kindOf(name: string, args: JsonObject): ItemKind {
  const [extension = '', tool = ''] = name.includes('__') ? name.split('__', 2) : ['', name];
  if (extension === '' || extension === 'developer') {
    const kind = kindIn(toolKinds, tool);
    if (kind === 'file_edit' && args.command === 'view') return 'read';
    if (kind !== 'tool_call') return kind;
  }
  const kind = kindIn(extensionKinds, extension);
  if (kind !== 'tool_call') return kind;
  if (tool === 'delegate') return 'subagent';
  return extension === '' || extension === 'developer' || extension === 'platform' ? 'tool_call' : 'mcp';
}
