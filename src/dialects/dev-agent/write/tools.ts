import { OpenIds } from '../../../ids/open-ids.ts';
import type { EventOf, EventRecord } from '../../../events/event.ts';
import { present } from '../../../json/present.ts';
import type { EncoderSink } from '../../dialect.ts';
import { asText, filled } from '../../../json/read.ts';
import { kindOf } from '../read/tools.ts';
import { wireKind } from '../words.ts';
import { safeArgs } from './args.ts';
import type { Lines } from './lines.ts';
import { messagePreview, shorten } from './preview.ts';
import type { Turn, Turns } from './turns.ts';

export class Tools {
  readonly #sink: EncoderSink;
  readonly #lines: Lines;
  readonly #turns: Turns;
  readonly #open = new OpenIds<{ startedAt: string | null; turn: Turn | undefined }>();

  constructor(sink: EncoderSink, lines: Lines, turns: Turns) {
    this.#sink = sink;
    this.#lines = lines;
    this.#turns = turns;
  }

  start(event: EventOf<'item.started'>): void {
    if (event.parent_item_id !== undefined) this.#sink.lose('sub_agent');
    const turn = this.#turns.call(event.parent_item_id === undefined, event.call_count);
    this.#open.set(event.item_id, { startedAt: this.#lines.time, turn });
    const { args, isCut } = safeArgs(event);
    if (isCut) this.#sink.lose('tool_args');
    const kind = wireKind(event.kind, event.name);
    if (event.kind !== 'tool_call' && kindOf(kind, event.name) !== event.kind) this.#sink.lose('tool_kind');
    this.#lines.write('item.started', {
      item_id: event.item_id,
      kind,
      name: event.name,
      args,
      ...(kind === 'branch_poll' ? present({ branch_id: filled(args.branch_id) }) : {}),
    });
  }

  end(record: Extract<EventRecord, { type: 'item.completed' }>): void {
    const item = this.#open.get(record.item_id);
    this.#open.delete(record.item_id);
    // An item that never ended stays open on this wire too.
    if (item === undefined || (record.synthetic && record.status === 'abandoned')) return;
    this.#turns.returned(item.turn);
    if (record.status !== 'success' && record.status !== 'error') this.#sink.lose('tool_status');
    if (record.exit_code !== undefined) this.#sink.lose('exit_code');
    const { text, cut } = shorten(record.summary ?? (asText(record.output) || (record.error ?? '')), messagePreview);
    if (cut) this.#sink.lose('tool_output');
    this.#lines.write('item.completed', {
      item_id: record.item_id,
      status: record.status === 'success' ? 'success' : 'error',
      duration_ms: Math.round(record.duration_ms ?? this.#elapsed(item.startedAt, record.timestamp)),
      ...present({ branch_id: record.branch_id }),
      summary: text,
    });
  }

  #elapsed(from: string | null, to: string | null): number {
    if (from !== null && to !== null) return Math.max(0, Date.parse(to) - Date.parse(from));
    this.#sink.lose('time');
    return 0;
  }
}
