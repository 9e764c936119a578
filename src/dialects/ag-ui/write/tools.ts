import { OpenIds } from '../../../ids/open-ids.ts';
import type { EventOf } from '../../../events/event.ts';
import { present } from '../../../json/present.ts';
import { asText } from '../../../json/read.ts';
import type { Events } from './events.ts';
import type { Messages } from './messages.ts';
import { Subagents, type Tag } from './subagents.ts';

interface Call {
  id: string;
  name: string;
  tag: Tag;
}

interface Interrupt {
  id: string;
  reason: string;
  message: string;
  toolCallId?: string;
}

/** Nobody answers more permission requests than this. */
const mostAsked = 1000;

/** Calls with their results, and the permissions that they wait for. */
export class Tools {
  readonly subagents: Subagents;
  readonly #events: Events;
  readonly #open = new OpenIds<Call>();
  readonly #interrupts = new Map<string, Interrupt>();

  constructor(events: Events) {
    this.#events = events;
    this.subagents = new Subagents(events, (item) => this.#open.get(item));
  }

  start(event: EventOf<'item.started'>, messages: Messages | undefined): void {
    const { item_id, kind, name, native_name, args, parent_item_id } = event;
    // Done before anything is written: absurdly deep nesting cannot be turned into text.
    const delta = asText(args) || '{}';
    const call = { id: this.#events.newId('call'), name, tag: this.subagents.tagOf(parent_item_id) };
    const parentMessageId = parent_item_id === undefined ? messages?.ofTurn : undefined;
    this.#open.set(item_id, call);
    const place = { toolCallId: call.id, ...call.tag };
    this.#events.write('TOOL_CALL_START', {
      ...place,
      toolCallName: name,
      ...present({ parentMessageId }),
      metadata: present({ itemId: item_id, kind, nativeName: native_name }),
    });
    this.#events.write('TOOL_CALL_ARGS', { ...place, delta });
    this.#events.write('TOOL_CALL_END', place);
  }

  end(event: EventOf<'item.completed'>): void {
    const { item_id, status, output, error } = event;
    const content = output === undefined || output === null ? (error ?? '') : asText(output);
    if (!this.#open.has(item_id)) this.#unknown(item_id);
    const call = this.#open.get(item_id);
    if (call === undefined) return;
    this.#open.delete(item_id);
    this.subagents.end(event);
    this.#events.write('TOOL_CALL_RESULT', {
      messageId: `${call.id}:result`,
      toolCallId: call.id,
      ...call.tag,
      content: content === '' && status !== 'success' ? status : content,
      role: 'tool',
      metadata: present({
        status,
        error,
        exitCode: event.exit_code,
        durationMs: event.duration_ms,
        summary: event.summary,
        branchId: event.branch_id,
      }),
    });
  }

  /** The id that a call of the agent has here. */
  idOf(item: string | undefined): string | undefined {
    return item === undefined ? undefined : this.#open.get(item)?.id;
  }

  ask({ permission_id, item_id, what, title }: EventOf<'permission.requested'>, reason: string): void {
    const toolCallId = this.idOf(item_id);
    if (this.#interrupts.size < mostAsked)
      this.#interrupts.set(permission_id, {
        id: permission_id,
        reason,
        message: title ?? what,
        ...present({ toolCallId }),
      });
  }

  answer({ permission_id }: EventOf<'permission.resolved'>): void {
    this.#interrupts.delete(permission_id);
  }

  /** The permissions that were neither granted nor denied. */
  get interrupts(): readonly Interrupt[] {
    return [...this.#interrupts.values()];
  }

  /** Nothing more comes. */
  close(): void {
    for (const item_id of this.#open.keys()) this.end({ type: 'item.completed', item_id, status: 'abandoned' });
    this.subagents.close();
  }

  #unknown(item_id: string): void {
    this.start({ type: 'item.started', item_id, turn_id: '', kind: 'tool_call', name: 'unknown', args: {} }, undefined);
  }
}
