import type { DecoderSink } from '../dialect.ts';
import { compact } from '../read.ts';

export interface TextPlace {
  type: 'text' | 'reasoning';
  message: string | undefined;
  parent: string | undefined;
}

interface OpenText extends TextPlace {
  /** The newest whole text, where no deltas came. */
  text: string;
  streamed: boolean;
  /** The part has a time of its own, so it will say when it ends. */
  timed: boolean;
}

/**
 * Text on the bus grows by deltas or by whole snapshots, and some versions never say that it ended.
 * The last snapshot wins.
 */
export class TextParts {
  readonly #sink: DecoderSink;
  readonly #open = new Map<string, OpenText>();
  /** Snapshots without an end that count as whole once anything else happens. */
  #loose = 0;

  constructor(sink: DecoderSink) {
    this.#sink = sink;
  }

  delta(id: string, delta: string, place: TextPlace): void {
    const known = this.#open.get(id);
    const part = known ?? { ...place, text: '', streamed: true, timed: true };
    if (known === undefined) this.#open.set(id, part);
    part.streamed = true;
    if (delta === '') return;
    this.#sink.emit({ type: `${part.type}.delta`, text: delta, ...where(id, part) });
  }

  snapshot(id: string, text: string, place: TextPlace, timed: boolean): void {
    const part = this.#open.get(id) ?? { ...place, text: '', streamed: false, timed };
    part.text = text;
    this.#open.set(id, part);
    if (!timed) this.#loose += 1;
  }

  complete(id: string, text: string, place: TextPlace): void {
    const streamed = this.#open.get(id)?.streamed === true;
    this.#open.delete(id);
    if (text !== '' || streamed) this.#sink.emit({ type: `${place.type}.completed`, text, ...where(id, place) });
  }

  /** Another line came: snapshots that carry no times are whole. */
  settle(except: string | undefined): void {
    if (this.#loose === 0) return;
    for (const [id, part] of this.#open) {
      if (part.timed || id === except) continue;
      this.complete(id, part.text, part);
    }
    this.#loose = except !== undefined && this.#open.has(except) ? 1 : 0;
  }

  /** The message is over. What was streamed is closed by the end of the turn. */
  flush(message: string | undefined): void {
    for (const [id, part] of this.#open) {
      if (message !== undefined && part.message !== undefined && part.message !== message) continue;
      if (part.streamed) this.#open.delete(id);
      else this.complete(id, part.text, part);
    }
  }
}

function where(id: string, place: TextPlace): { block_id?: string; message_id?: string; parent_item_id?: string } {
  return compact({ block_id: id === '' ? undefined : id, message_id: place.message, parent_item_id: place.parent }) as {
    block_id?: string;
    message_id?: string;
    parent_item_id?: string;
  };
}
