import type { EventRecord } from '../../events/event.ts';
import { type Piece, recordLine } from '../../events/record-json.ts';
import type { JsonObject } from '../../json/json.ts';
import { unlessTooLarge } from '../../json/unless-too-large.ts';
import type { Dialect, EncoderSink, Loss, Variant } from '../dialect.ts';

/** Wire objects → text, in the layout of their dialect. Kept in pieces: if joined, each line would be copied twice more before it is encoded. */
export class WireText implements EncoderSink {
  readonly losses = new Map<Loss, number>();
  /** The objects are records, as on a tape. */
  readonly isRecords: boolean;
  readonly #ascii: boolean;
  readonly #variant: Variant;
  #pieces: Piece[] = [];
  #count = 0;
  /** In characters. */
  size = 0;

  constructor({ id, ascii }: Dialect, variant: Variant) {
    this.isRecords = id === 'runwire';
    this.#ascii = ascii === true;
    this.#variant = variant;
  }

  // Encoders hand these two on by themselves.
  readonly line = (wire: JsonObject): void => {
    const text = this.isRecords ? recordLine(wire as unknown as EventRecord) : this.#json(wire);
    if (text === undefined) return this.lose('unknown_line');
    if (this.isRecords) return this.#add(text);
    this.#count += 1;
    const { layout } = this.#variant;
    if (layout === 'array') this.#add(this.#count === 1 ? '[' : ',');
    if (layout === 'sse') this.#add('data: ');
    this.#add(text);
    if (layout !== 'array') this.#add(layout === 'sse' ? '\n\n' : '\n');
  };

  readonly lose = (what: Loss): void => void this.losses.set(what, (this.losses.get(what) ?? 0) + 1);

  /** The last object is written. */
  end(): void {
    if (this.#variant.layout === 'array') this.#add(this.#count === 0 ? '[]\n' : ']\n');
    if (this.#variant.farewell !== undefined) this.#add(`data: ${this.#variant.farewell}\n\n`);
  }

  /** What was added since the last call. */
  take(): readonly Piece[] {
    const pieces = this.#pieces;
    this.#pieces = [];
    this.size = 0;
    return pieces;
  }

  #add(piece: Piece): void {
    this.size += piece.length;
    this.#pieces.push(piece);
  }

  #json(wire: JsonObject): string | undefined {
    return unlessTooLarge(() => {
      const json = JSON.stringify(wire, undefined, this.#variant.layout === 'document' ? 2 : undefined);
      return this.#ascii ? escapeToAscii(json) : json;
    });
  }
}

/** JSON text → the same JSON in ASCII. Only string contents can hold other characters, so escaping is always legal. */
export function escapeToAscii(json: string): string {
  return json.replace(/[\u007f-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
