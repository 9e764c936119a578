import type { AgentEvent, EventOf } from '../events/event.ts';
import { Cleaner } from './cleaner.ts';
import type { Finder } from './finder.ts';

/** `isWhole`: a delta that is its entire block, whose end follows immediately. */
export type EventSink = (event: AgentEvent, synthetic: boolean, isWhole?: boolean) => void;

export type Piece = EventOf<'text.delta' | 'reasoning.delta' | 'item.output'>;

/** A text that arrives in pieces, one per event. */
export class Stream {
  readonly #cleaner: Cleaner;
  #last: Piece | undefined;
  #synthetic = false;
  #untouched = true;

  constructor(finder: Finder) {
    this.#cleaner = new Cleaner(finder);
  }

  /** How many secrets were found. */
  get count(): number {
    return this.#cleaner.count;
  }

  /** Every piece was emitted immediately and unchanged. */
  get isUntouched(): boolean {
    return this.#untouched;
  }

  push(event: Piece, synthetic: boolean, emit: EventSink): void {
    this.#last = event;
    this.#synthetic = synthetic;
    const raw = event.type === 'item.output' ? event.chunk : event.text;
    const clean = this.#cleaner.push(raw);
    // Whoever hears of an event may change it, and this one may be needed again at the end.
    if (clean === raw) return emit(this.#untouched ? event : { ...event }, synthetic);
    this.#untouched = false;
    if (clean !== '') emit(withPiece(event, clean), synthetic);
  }

  /** Emits what is held back. */
  end(emit: EventSink): void {
    if (this.#last === undefined || this.#untouched) return;
    const rest = this.#cleaner.push('', true);
    if (rest !== '') emit(withPiece(this.#last, rest), this.#synthetic);
  }
}

function withPiece(event: Piece, piece: string): Piece {
  return event.type === 'item.output' ? { ...event, chunk: piece } : { ...event, text: piece };
}

type BlockIds = Pick<EventOf<'text.delta' | 'text.completed'>, 'block_id' | 'parent_item_id'>;

/** The open texts, by block; those of sub-agents are kept apart, since they have their own block ids. */
export class BlockStreams {
  readonly #own = new Map<string, Stream>();
  readonly #nested = new Map<string, Map<string, Stream>>();

  open({ block_id: block, parent_item_id: parent }: BlockIds, finder: Finder): Stream {
    let blocks = parent === undefined ? this.#own : this.#nested.get(parent);
    if (blocks === undefined) this.#nested.set(parent ?? '', (blocks = new Map()));
    let stream = blocks.get(block);
    if (stream === undefined) blocks.set(block, (stream = new Stream(finder)));
    return stream;
  }

  close({ block_id: block, parent_item_id: parent }: BlockIds): Stream | undefined {
    const blocks = parent === undefined ? this.#own : this.#nested.get(parent);
    const stream = blocks?.get(block);
    blocks?.delete(block);
    if (parent !== undefined && blocks?.size === 0) this.#nested.delete(parent);
    return stream;
  }

  closeAll(): Stream[] {
    const streams = [this.#own, ...this.#nested.values()].flatMap((blocks) => [...blocks.values()]);
    this.#own.clear();
    this.#nested.clear();
    return streams;
  }
}
