import { present } from '../../../json/present.ts';
import type { DecoderSink } from '../../dialect.ts';
import type { Json, JsonObject } from '../../../json/json.ts';
import { asText, filled, list, object } from '../../../json/read.ts';

/** A run with a thousand refusals needs no longer list of them. */
const longestList = 1000;

/** What the program asked permission for, and what it was refused. */
export class Permissions {
  readonly #sink: DecoderSink;
  /** Calls already known to be refused, so that the list in the result adds only the others. */
  readonly #refused = new Set<string>();
  readonly #open = new Map<string, string>();

  constructor(sink: DecoderSink) {
    this.#sink = sink;
  }

  refuse(item: string): void {
    if (this.#refused.size < longestList) this.#refused.add(item);
  }

  /** The denials in a result line. */
  refuseAll(denials: Json | undefined): void {
    for (const each of list(denials)) {
      const denial = object(each);
      const id = filled(denial.tool_use_id);
      if (id === undefined || this.#refused.has(id) || this.#refused.size >= longestList) continue;
      this.refuse(id);
      this.#sink.emit({ type: 'permission.requested', permission_id: id, item_id: id, what: asText(denial.tool_name) });
      this.#sink.emit({ type: 'permission.resolved', permission_id: id, item_id: id, decision: 'denied', by: 'rule' });
    }
  }

  /** A control line. */
  control(wire: JsonObject): void {
    const request = object(wire.request);
    const id = filled(wire.request_id);
    if (wire.type === 'control_request' && request.subtype === 'can_use_tool' && id !== undefined)
      this.#ask(id, request);
    else this.#answer(object(wire.response));
  }

  #ask(id: string, request: JsonObject): void {
    const item = filled(request.tool_use_id);
    if (item !== undefined && this.#open.size < longestList) this.#open.set(id, item);
    this.#sink.emit({
      type: 'permission.requested',
      permission_id: id,
      what: asText(request.tool_name),
      ...present({ item_id: item }),
    });
  }

  #answer(response: JsonObject): void {
    const answer = object(response.response);
    const isAllowed = answer.allowed === true || answer.behavior === 'allow';
    const isDenied = answer.allowed === false || answer.behavior === 'deny';
    const id = filled(response.request_id);
    if (id === undefined || (!isAllowed && !isDenied)) return;
    const item = this.#open.get(id);
    this.#open.delete(id);
    if (isDenied && item !== undefined) this.refuse(item);
    this.#sink.emit({
      type: 'permission.resolved',
      permission_id: id,
      decision: isAllowed ? 'allowed' : 'denied',
      ...present({ item_id: item }),
    });
  }
}
