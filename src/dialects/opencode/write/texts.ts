import type { EventRecord } from '../../../events/event.ts';
import type { Session } from './session.ts';
import type { Tools } from './tools.ts';

type TextRecord = Extract<
  EventRecord,
  { type: 'text.delta' | 'text.completed' | 'reasoning.delta' | 'reasoning.completed' }
>;

/** A text that grows. */
interface OpenText {
  start: number;
  text: string;
  /** How much of it has been written. */
  sent: number;
  /** How many characters the updates have written in all, repetitions included. */
  repeated: number;
}

/** Every update repeats the text so far: up to this many characters, each is written at once; then only when 1/16 of the text is new. */
const repeatedAtOnce = 200_000;
const grownBy = 16;
/** A longer text is written only when it is complete. */
const longestInProgress = 1_000_000;

/** Text and reasoning: a part that grows by deltas, and is complete at its end. */
export class Texts {
  readonly #session: Session;
  readonly #tools: Tools;
  readonly #open = new Map<string, OpenText>();

  constructor(session: Session, tools: Tools) {
    this.#session = session;
    this.#tools = tools;
  }

  write(record: TextRecord): void {
    const whole = record.type === 'text.completed' || record.type === 'reasoning.completed';
    const open = this.#open.get(record.block_id) ?? { start: this.#session.now, text: '', sent: 0, repeated: 0 };
    if (whole) {
      this.#open.delete(record.block_id);
      return this.#part(record, open.start, record.text);
    }
    this.#open.set(record.block_id, open);
    // A delta that repair added is contained in the complete text.
    if (record.synthetic || open.text.length + record.text.length > longestInProgress) return;
    open.text += record.text;
    const grown = open.text.length - open.sent;
    if (open.repeated > repeatedAtOnce && grown * grownBy < open.text.length) return;
    open.repeated += open.text.length;
    this.#part(record, open.start, open.text, open.text.slice(open.sent));
    open.sent = open.text.length;
  }

  #part(record: TextRecord, start: number, text: string, delta?: string): void {
    const { lane, message } = this.#tools.place(record.parent_item_id, record.message_id);
    const type = record.type.startsWith('text') ? 'text' : 'reasoning';
    this.#session.write('message.part.updated', {
      part: {
        id: record.block_id,
        sessionID: lane.id,
        messageID: message,
        type,
        text,
        ...(type === 'text' ? { synthetic: false, ignored: false } : {}),
        time: { start, ...(delta === undefined ? { end: Math.max(start, this.#session.now) } : {}) },
        metadata: {},
      },
      ...(delta === undefined ? {} : { delta }),
    });
  }
}
