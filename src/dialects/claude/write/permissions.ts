import type { EventOf, EventRecord } from '../../../events/event.ts';
import { present } from '../../../json/present.ts';
import type { Ending } from './ending.ts';
import type { Output } from './output.ts';
import type { Tools } from './tools.ts';

type Request = EventOf<'permission.requested'>;

/** A request that is refused at once becomes one line, which waits for the answer. */
export class Permissions {
  readonly #output: Output;
  readonly #tools: Tools;
  readonly #ending: Ending;
  #open: Request | undefined;

  constructor(output: Output, tools: Tools, ending: Ending) {
    this.#output = output;
    this.#tools = tools;
    this.#ending = ending;
  }

  ask(request: Request): void {
    this.#open = request;
  }

  answer(event: EventOf<'permission.resolved'>): void {
    const request = this.#open;
    this.#open = undefined;
    if (event.decision === 'allowed') return this.#output.lose('permission');
    const id = event.item_id ?? event.permission_id;
    const call = this.#tools.find(id);
    const name = request?.what ?? call?.name ?? 'unknown';
    this.#ending.deny(name, id, call?.args ?? {});
    this.#output.line({
      type: 'system',
      subtype: 'permission_denied',
      tool_name: name,
      tool_use_id: id,
      message: request?.title ?? '',
      ...present({ decision_reason_type: event.raw_decision }),
    });
  }

  /** A request that the next event does not answer gets its own line. */
  settle(next: EventRecord | undefined): void {
    const request = this.#open;
    if (request === undefined || (next?.type === 'permission.resolved' && next.permission_id === request.permission_id))
      return;
    this.#open = undefined;
    this.#output.line({
      type: 'control_request',
      request_id: request.permission_id,
      request: {
        subtype: 'can_use_tool',
        tool_name: request.what,
        input: this.#tools.find(request.item_id ?? '')?.args ?? {},
        ...present({ tool_use_id: request.item_id, title: request.title }),
      },
    });
  }
}
