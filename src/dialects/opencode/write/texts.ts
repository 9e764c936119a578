import type { EventRecord } from '../../../events/event.ts';
import type { Session } from './session.ts';
import type { Tools } from './tools.ts';

type TextRecord = Extract<EventRecord, { type: 'text.delta' | 'text.completed' | 'reasoning.delta' | 'reasoning.completed' }>;

/** Text and reasoning: a part that grows by deltas, and is whole at its end. */
export class Texts {
  readonly #session: Session;
  readonly #tools: Tools;
  readonly #starts = new Map<string, number>();

  constructor(session: Session, tools: Tools) {
    this.#session = session;
    this.#tools = tools;
  }

  write(record: TextRecord): void {
    const { now } = this.#session;
    const whole = record.type === 'text.completed' || record.type === 'reasoning.completed';
    const start = this.#starts.get(record.block_id) ?? now;
    if (whole) this.#starts.delete(record.block_id);
    else this.#starts.set(record.block_id, start);
    // A delta that repair made up follows from the whole text.
    if (!whole && record.synthetic) return;
    const { lane, message } = this.#tools.place(record.parent_item_id, record.message_id);
    const type = record.type.startsWith('text') ? 'text' : 'reasoning';
    this.#session.write('message.part.updated', {
      part: {
        id: record.block_id,
        sessionID: lane.id,
        messageID: message,
        type,
        text: whole ? record.text : '',
        ...(type === 'text' ? { synthetic: false, ignored: false } : {}),
        time: { start, ...(whole ? { end: Math.max(start, now) } : {}) },
        metadata: {},
      },
      ...(whole ? {} : { delta: record.text }),
    });
  }
}
