import type { EncoderSink, JsonObject } from '../../dialect.ts';

/** More digits could not be counted on from. */
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

  /** Words of the program itself: a warning, or an error that it got over. */
  warn(message: string): void {
    this.write('completed', `warning_${this.#next}`, { type: 'error', message });
  }

  /** Ids of other agents get the next free number. */
  #wireId(id: string): string {
    const known = this.#ids.get(id);
    if (known !== undefined) return known;
    const mine = ownId.test(id) ? id : `item_${this.#next}`;
    if (mine.startsWith('item_')) this.#next = Math.max(this.#next, Number(mine.slice('item_'.length)) + 1);
    this.#ids.set(id, mine);
    return mine;
  }
}
