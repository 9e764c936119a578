import { OpenIds } from '../../../ids/open-ids.ts';
import type { EventOf } from '../../../events/event.ts';
import { present } from '../../../json/present.ts';
import type { EncoderSink } from '../../dialect.ts';
import type { JsonObject } from '../../../json/json.ts';
import { asText } from '../../../json/read.ts';

interface Call {
  metadata: JsonObject;
  /** The last permission requested for it: a message has only one per call. */
  approval?: string;
}

/** Tool calls. The front end does not know any of the tools, and must not run them itself. */
export class Tools {
  readonly #sink: EncoderSink;
  readonly #open = new OpenIds<Call>();
  /** The calls that wait for an answer, by the permission that they requested. */
  readonly #approvals = new Map<string, string>();

  constructor(sink: EncoderSink) {
    this.#sink = sink;
  }

  start({ item_id, name, native_name, kind, args, parent_item_id }: EventOf<'item.started'>): void {
    const metadata = present({ kind, nativeName: native_name, parentToolCallId: parent_item_id });
    this.#open.set(item_id, { metadata });
    const call = { toolCallId: item_id, toolName: name, dynamic: true, providerExecuted: true, toolMetadata: metadata };
    this.#sink.line({ type: 'tool-input-start', ...call });
    this.#sink.line({ type: 'tool-input-available', ...call, input: args });
  }

  end(event: EventOf<'item.completed'>): void {
    const { item_id, status, output, error } = event;
    const call = this.#open.get(item_id) ?? this.#unknown(item_id);
    this.#open.delete(item_id);
    if (call.approval !== undefined) this.#approvals.delete(call.approval);
    if (status === 'denied') {
      if (error !== undefined || output !== undefined) this.#sink.lose('tool_output');
      return this.#sink.line({ type: 'tool-output-denied', toolCallId: item_id });
    }
    const toolMetadata = {
      ...call.metadata,
      ...present({
        status,
        exitCode: event.exit_code,
        durationMs: event.duration_ms,
        summary: event.summary,
        branchId: event.branch_id,
      }),
    };
    const ended = { toolCallId: item_id, dynamic: true, providerExecuted: true, toolMetadata };
    if (status === 'success')
      return this.#sink.line({ type: 'tool-output-available', ...ended, output: output ?? null });
    const text = [error, output === undefined || output === null ? undefined : asText(output)].filter(Boolean);
    this.#sink.line({
      type: 'tool-output-error',
      ...ended,
      errorText: text.length === 0 ? status : [...new Set(text)].join('\n'),
    });
  }

  /** Returns whether it is written with its call. */
  ask({ permission_id, item_id, title }: EventOf<'permission.requested'>): boolean {
    const call = item_id === undefined ? undefined : this.#open.get(item_id);
    if (call === undefined || item_id === undefined) return false;
    if (call.approval !== undefined) this.#approvals.delete(call.approval);
    call.approval = permission_id;
    this.#approvals.set(permission_id, item_id);
    this.#sink.line({
      type: 'tool-approval-request',
      approvalId: permission_id,
      toolCallId: item_id,
      ...present({ reason: title }),
    });
    return true;
  }

  answer({ permission_id, decision, raw_decision }: EventOf<'permission.resolved'>): boolean {
    if (!this.#approvals.delete(permission_id)) return false;
    const reason = present({ reason: raw_decision });
    this.#sink.line({
      type: 'tool-approval-response',
      approvalId: permission_id,
      approved: decision === 'allowed',
      ...reason,
    });
    return true;
  }

  /** Nothing more comes. */
  close(): void {
    for (const item_id of this.#open.keys()) this.end({ type: 'item.completed', item_id, status: 'abandoned' });
  }

  #unknown(item_id: string): Call {
    this.start({ type: 'item.started', item_id, turn_id: '', kind: 'tool_call', name: 'unknown', args: {} });
    return this.#open.get(item_id) ?? { metadata: {} };
  }
}
