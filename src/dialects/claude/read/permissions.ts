import { present } from '../../../json/present.ts';
import type { DecoderSink } from '../../dialect.ts';
import type { Json, JsonObject } from '../../../json/json.ts';
import { asText, filled, object } from '../../../json/read.ts';

/** A run with a thousand refusals needs no longer list of them. */
const longestList = 1000;

/** What the program asked permission for, and what it was refused. */
export class Permissions {
  readonly #sink: DecoderSink;
  readonly #open = new Set<string>();
  readonly #denied = new Set<string>();

  constructor(sink: DecoderSink) {
    this.#sink = sink;
  }

  isDenied(item: string): boolean {
    return this.#denied.has(item);
  }

  deny(item: string): void {
    if (this.#denied.size < longestList) this.#denied.add(item);
  }

  /** Denials of which only the number is known. */
  refuseCounted(denials: number): void {
    for (let number = 1; number <= Math.min(denials, longestList); number += 1) {
      const id = `denial_${number}`;
      this.#sink.emit({ type: 'permission.requested', permission_id: id, item_id: id, what: 'a tool' });
      this.#sink.emit({ type: 'permission.resolved', permission_id: id, item_id: id, decision: 'denied' });
    }
  }

  /** A `can_use_tool` control request. */
  request(wire: JsonObject): void {
    const request = object(wire.request);
    const item = filled(request.tool_use_id);
    const id = item ?? filled(wire.request_id) ?? 'request';
    if (this.#open.size < longestList) this.#open.add(id);
    this.#ask(id, item, asText(request.tool_name), filled(request.title));
  }

  refuse(wire: JsonObject, title?: string, reason?: string): void {
    const item = filled(wire.tool_use_id);
    const what = asText(wire.tool_name);
    const id = item ?? `denied_${what}`;
    if (item !== undefined) this.deny(item);
    if (!this.#open.delete(id)) this.#ask(id, item, what, title);
    this.#sink.emit({
      type: 'permission.resolved',
      permission_id: id,
      decision: 'denied',
      by: 'rule',
      ...present({ item_id: item, raw_decision: reason }),
    });
  }

  /** The denials in a result line: they repeat those of earlier lines. */
  refuseAll(denials: readonly Json[]): void {
    for (const each of denials) {
      const denial = object(each);
      if (this.#denied.size < longestList && !this.isDenied(asText(denial.tool_use_id))) this.refuse(denial);
    }
  }

  #ask(id: string, item: string | undefined, what: string, title: string | undefined): void {
    this.#sink.emit({ type: 'permission.requested', permission_id: id, what, ...present({ item_id: item, title }) });
  }
}
