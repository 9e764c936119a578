import type { EventOf } from '../../../events/event.ts';
import type { JsonObject } from '../../../json/json.ts';

type Delta = EventOf<'text.delta' | 'reasoning.delta'>;
type Whole = EventOf<'text.completed' | 'reasoning.completed'>;

/** Texts and reasoning as they come. A sub-agent's text is not part of the answer: it is written beside it once complete. */
export class Blocks {
  readonly #line: (wire: JsonObject) => void;
  readonly #open = new Map<string, { id: string; word: string }>();
  #count = 0;

  constructor(line: (wire: JsonObject) => void) {
    this.#line = line;
  }

  delta(event: Delta): void {
    if (event.parent_item_id !== undefined) return;
    const { id, word } = this.#open.get(keyOf(event)) ?? this.#start(event);
    if (event.text !== '') this.#line({ type: `${word}-delta`, id, delta: event.text });
  }

  end(event: Whole): void {
    const word = wordOf(event);
    if (event.parent_item_id !== undefined)
      return this.#line({
        type: `data-subagent-${word}`,
        data: { toolCallId: event.parent_item_id, text: event.text },
      });
    const open = this.#open.get(keyOf(event));
    if (open === undefined)
      this.delta({ ...event, type: event.type === 'text.completed' ? 'text.delta' : 'reasoning.delta' });
    this.#close(keyOf(event));
  }

  /** Nothing more comes. */
  close(): void {
    for (const key of this.#open.keys()) this.#close(key);
  }

  #start(event: Delta): { id: string; word: string } {
    const word = wordOf(event);
    this.#count += 1;
    const block = { id: `${word}_${this.#count}`, word };
    this.#open.set(keyOf(event), block);
    this.#line({ type: `${word}-start`, id: block.id });
    return block;
  }

  #close(key: string): void {
    const block = this.#open.get(key);
    if (block === undefined) return;
    this.#open.delete(key);
    this.#line({ type: `${block.word}-end`, id: block.id });
  }
}

function wordOf({ type }: Delta | Whole): 'text' | 'reasoning' {
  return type.startsWith('text') ? 'text' : 'reasoning';
}

function keyOf(event: Delta | Whole): string {
  return `${wordOf(event)} ${event.block_id}`;
}
