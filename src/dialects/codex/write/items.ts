import type { EncoderSink } from '../../dialect.ts';
import type { JsonObject } from '../../../json/json.ts';

/** With more digits, the next number could not be counted exactly. */
const ownId = /^(?:item_\d{1,15}|ws_\w+)$/;

/** Everything inside a turn is an item, and Codex numbers them: `item_0`, `item_1`, … */
export class Items {
  readonly #sink: EncoderSink;
  readonly #ids = new Map<string, string>();
  #next = 0;

  constructor(sink: EncoderSink) {
    this.#sink = sink;
  }

  write(phase: 'started' | 'updated' | 'completed', id: string, fields: JsonObject): void {
    this.#sink.line({ type: `item.${phase}`, item: { id: this.#wireId(id), ...fields } });
    if (phase === 'completed') this.#ids.delete(id);
  }

  /** A message by the program itself: a warning, or an error from which it recovered. */
  warn(message: string): void {
    this.write('completed', `warning_${this.#next}`, { type: 'error', message });
  }

  /** Ids from other agents get the next free number. */
  #wireId(id: string): string {
    const known = this.#ids.get(id);
    if (known !== undefined) return known;
    const mine = ownId.test(id) ? id : `item_${this.#next}`;
    if (mine.startsWith('item_')) this.#next = Math.max(this.#next, Number(mine.slice('item_'.length)) + 1);
    this.#ids.set(id, mine);
    return mine;
  }
}
