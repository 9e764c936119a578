import type { EventOf } from '../events/event.ts';
import { isFinalOf } from '../events/rewritten-block.ts';
import { BoundedList } from './bounded.ts';

/** The text parts of the last assistant message; blank ones are skipped, and so is the text of sub-agents. */
export class LastMessage {
  #parts: BoundedList<string>;
  #id: string | undefined;
  #blockId: string | undefined;
  /** A call began since the last text: where messages have no ids, the next text is another message. */
  #hasCalledSince = false;

  constructor(limit: number) {
    this.#parts = new BoundedList(limit);
  }

  /** Returns whether it is a part. */
  add(event: EventOf<'text.completed'>): boolean {
    if (event.parent_item_id !== undefined || event.text.trim() === '') return false;
    // A message that has no id of its own has that of its turn.
    const isNext = this.#hasCalledSince && event.message_id === event.turn_id;
    if (event.message_id !== this.#id || isNext) {
      this.forget();
      this.#id = event.message_id;
      this.#parts.push(event.text);
    } else if (isFinalOf(event.block_id, this.#blockId)) this.#parts.replaceLast(event.text);
    else this.#parts.push(event.text);
    this.#blockId = event.block_id;
    this.#hasCalledSince = false;
    return true;
  }

  called(): void {
    this.#hasCalledSince = true;
  }

  /** The next text begins another message. */
  forget(): void {
    this.#id = undefined;
    this.#parts = this.#parts.emptied();
  }

  get text(): string {
    return this.#parts.toArray().join('\n').trim();
  }
}
