import type { JsonObject } from '../../../json/json.ts';
import { asText } from '../../../json/read.ts';

const ownBlock = /^message_\d+\.(\d+)$/;
/** Calls between two texts are not known yet; up to this many places are kept for them. */
const maxGap = 32;

/** One assistant message while it is written: its blocks, each in its place. */
export class Message {
  /** As named by the agent that wrote the message. */
  id: string | undefined;
  readonly timestamp: string | null;
  /** The message as it was written at its end. */
  final: JsonObject | undefined;
  readonly #content: JsonObject[] = [];
  readonly #places = new Map<string, number>();
  readonly #taken = new Set<number>();

  constructor(id: string | undefined, timestamp: string | null) {
    this.id = id;
    this.timestamp = timestamp;
  }

  /** Its end has been written. */
  get isClosed(): boolean {
    return this.final !== undefined;
  }

  placeOf(blockId: string): number | undefined {
    return this.#places.get(blockId);
  }

  openBlock(blockId: string, word: 'text' | 'thinking'): number {
    const next = this.#content.length;
    const own = Number(ownBlock.exec(blockId)?.[1] ?? Infinity);
    const place = own <= next + maxGap && !this.#taken.has(own) ? own : next;
    this.#places.set(blockId, place);
    this.#taken.add(place);
    while (this.#content.length < place) this.#content.push({ type: word, [word]: '' });
    this.#content[place] = { type: word, [word]: '' };
    return place;
  }

  append(place: number, word: 'text' | 'thinking', text: string): void {
    const block = this.#content[place];
    if (block !== undefined) block[word] = asText(block[word]) + text;
  }

  addCall(call: JsonObject): void {
    this.#content.push(call);
  }

  /** The blocks as they are now. */
  get content(): JsonObject[] {
    return this.#content.map((block) => ({ ...block }));
  }
}
