import { present } from '../../../present.ts';
import type { DecoderSink, Json, JsonObject } from '../../dialect.ts';
import { asText, filled, number, object } from '../../read.ts';
import { editedPath, kindIn } from '../../tool-kinds.ts';
import { pathFields, refusal, toolKinds } from '../words.ts';

/** A call is one step: it is told when it begins, and again when it has ended. */
export class Tools {
  readonly #sink: DecoderSink;
  readonly #open = new Map<string, { name: string; path: string | undefined }>();
  /** Steps without a number: the latest call of each tool. */
  readonly #latest = new Map<string, string>();
  #count = 0;

  constructor(sink: DecoderSink) {
    this.#sink = sink;
  }

  /** `id`: of the step. */
  read(id: string | undefined, step: JsonObject): void {
    const info = object(step.tool_info);
    const name = filled(step.tool_name) ?? filled(info.name) ?? 'unknown';
    const open = id ?? this.#latest.get(name);
    const item = open !== undefined && this.#open.has(open) ? open : this.#start(id, name, info.parameters);
    if (step.state === 'DONE' || step.state === 'ERROR' || info.error !== undefined) this.#end(item, step, info);
  }

  #start(id: string | undefined, name: string, args: Json | undefined): string {
    this.#count += 1;
    const item_id = id ?? `call_${this.#count}`;
    const kind = kindIn(toolKinds, name);
    if (id === undefined) this.#latest.set(name, item_id);
    this.#open.set(item_id, { name, path: editedPath(kind, args ?? {}, pathFields) });
    this.#sink.emit({ type: 'item.started', item_id, kind, name, args: args ?? {} });
    return item_id;
  }

  #end(item_id: string, step: JsonObject, info: JsonObject): void {
    const call = this.#open.get(item_id);
    this.#open.delete(item_id);
    const seconds = number(step.duration_seconds);
    const time = present({ duration_ms: seconds === undefined || seconds < 0 ? undefined : seconds * 1000 });
    const fault = info.error ?? (step.state === 'ERROR' ? (step.error ?? null) : undefined);
    if (fault === undefined) {
      const output = info.output ?? info.result;
      this.#sink.emit({ type: 'item.completed', item_id, status: 'success', ...present({ output }), ...time });
      if (call?.path !== undefined) this.#sink.emit({ type: 'file.edited', path: call.path, operation: 'modified', item_id });
      return;
    }
    const error = filled(object(fault).message) ?? asText(fault);
    const isDenied = /permission/i.test(asText(object(fault).type)) || refusal.test(error.slice(0, 1000));
    this.#sink.emit({ type: 'item.completed', item_id, status: isDenied ? 'denied' : 'error', error, ...time });
  }
}
