import { OpenIds } from '../../../ids/open-ids.ts';
import type { DecoderSink } from '../../dialect.ts';
import type { Json, JsonObject } from '../../../json/json.ts';
import { filled, list, object, string } from '../../../json/read.ts';
import { readFault } from '../../shared/opencode/read/ending.ts';
import { editsOf, endTool, startTool } from '../../shared/opencode/read/tools.ts';

interface OpenCall {
  name: string;
  input: Json;
  shown: number;
}

/** The tool calls of version 2, which have separate events: `input.started`, `called`, `progress`, `success`, `failed`. */
export class ToolsOfVersion2 {
  readonly #sink: DecoderSink;
  readonly #names = new Map<string, string>();
  readonly #open = new OpenIds<OpenCall>();

  constructor(sink: DecoderSink) {
    this.#sink = sink;
  }

  /** Returns whether the call was denied. */
  update(phase: string, data: JsonObject): boolean {
    const id = filled(data.id) ?? filled(data.callID);
    if (id === undefined) return false;
    switch (phase) {
      case 'input.started':
        this.#names.set(id, filled(data.name) ?? filled(data.tool) ?? 'tool');
        return false;
      case 'called':
        this.#start(id, data);
        return false;
      case 'progress':
        this.#progress(id, string(object(data.metadata).output) ?? '');
        return false;
      case 'success':
      case 'failed':
        return this.#end(id, data, phase === 'failed');
      default:
        return false;
    }
  }

  #start(id: string, data: JsonObject): OpenCall {
    const known = this.#open.get(id);
    if (known !== undefined) return known;
    const name = this.#names.get(id) ?? filled(data.name) ?? filled(data.tool) ?? 'tool';
    this.#names.delete(id);
    const call = { name, input: data.input ?? {}, shown: 0 };
    this.#open.set(id, call);
    this.#sink.emit(startTool(id, name, call.input));
    return call;
  }

  #progress(id: string, output: string): void {
    const call = this.#open.get(id);
    if (call === undefined || output.length <= call.shown) return;
    this.#sink.emit({ type: 'item.output', item_id: id, chunk: output.slice(call.shown) });
    call.shown = output.length;
  }

  #end(id: string, data: JsonObject, failed: boolean): boolean {
    const { name, input } = this.#start(id, data);
    this.#open.delete(id);
    const output = list(data.content)
      .flatMap((block) => string(object(block).text) ?? [])
      .join('\n');
    const state: JsonObject = failed
      ? { status: 'error', input, error: readFault(data.error).message }
      : { status: 'completed', input, output, metadata: object(data.metadata) };
    const ended = endTool(id, name, state);
    if (ended === undefined) return false;
    this.#sink.emit(ended);
    if (ended.status === 'success') for (const edit of editsOf(name, state, id)) this.#sink.emit(edit);
    return ended.status === 'denied';
  }
}
