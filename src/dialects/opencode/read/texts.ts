import type { DecoderSink, JsonObject } from '../../dialect.ts';
import { asText, compact, filled, isObject, object, string } from '../../read.ts';
import { tellTime } from '../../shared/opencode/read/time.ts';
import type { Lane } from './lane.ts';
import type { Recent } from './recent.ts';

interface Place {
  type: 'text' | 'reasoning';
  message: string | undefined;
  parent: string | undefined;
}

interface OpenText extends Place {
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
export class Texts {
  readonly #sink: DecoderSink;
  /** Parts that have ended. */
  readonly #done: Recent<true>;
  readonly #open = new Map<string, OpenText>();
  /** Snapshots without an end that count as whole once anything else happens. */
  #loose = 0;

  constructor(sink: DecoderSink, done: Recent<true>) {
    this.#sink = sink;
    this.#done = done;
  }

  /** `message.part.updated`: the whole text so far, and in some versions what is new of it. */
  update(lane: Lane, type: Place['type'], part: JsonObject, delta: string | undefined): void {
    const id = string(part.id) ?? '';
    const owner = string(part.messageID);
    const key = `${owner ?? ''} ${id}`;
    if (this.#done.has(key)) return;
    const place = { type, message: filled(lane.voiceOf(owner)), parent: lane.parent };
    const span = object(part.time);
    if (delta !== undefined) this.#add(id, delta, place);
    if (typeof span.end === 'number') {
      tellTime(this.#sink, span.end);
      this.#complete(id, asText(part.text), place);
      if (id !== '') this.#done.set(key, true);
    } else if (delta === undefined) {
      tellTime(this.#sink, span.start);
      this.#replace(id, asText(part.text), place, isObject(part.time));
    }
  }

  /** `message.part.delta`. */
  delta(lane: Lane, properties: JsonObject): void {
    const id = string(properties.partID) ?? '';
    const owner = string(properties.messageID) ?? '';
    const delta = asText(properties.delta);
    if (properties.field !== 'text' || delta === '' || this.#done.has(`${owner} ${id}`)) return;
    this.#add(id, delta, { type: 'text', message: filled(lane.voiceOf(owner)), parent: lane.parent });
  }

  /** Another line came: snapshots that carry no times are whole. */
  settle(except: string | undefined): void {
    if (this.#loose === 0) return;
    for (const [id, part] of this.#open) {
      if (part.timed || id === except) continue;
      this.#complete(id, part.text, part);
    }
    this.#loose = except !== undefined && this.#open.has(except) ? 1 : 0;
  }

  /** The message is over. What was streamed is closed by the end of the turn. */
  flush(message: string | undefined): void {
    for (const [id, part] of this.#open) {
      if (message !== undefined && part.message !== undefined && part.message !== message) continue;
      if (part.streamed) this.#open.delete(id);
      else this.#complete(id, part.text, part);
    }
  }

  #add(id: string, delta: string, place: Place): void {
    const known = this.#open.get(id);
    const part = known ?? { ...place, text: '', streamed: true, timed: true };
    if (known === undefined) this.#open.set(id, part);
    part.streamed = true;
    if (delta !== '') this.#sink.emit({ type: `${part.type}.delta`, text: delta, ...where(id, part) });
  }

  #replace(id: string, text: string, place: Place, timed: boolean): void {
    const part = this.#open.get(id) ?? { ...place, text: '', streamed: false, timed };
    part.text = text;
    this.#open.set(id, part);
    if (!timed) this.#loose += 1;
  }

  #complete(id: string, text: string, place: Place): void {
    const streamed = this.#open.get(id)?.streamed === true;
    this.#open.delete(id);
    if (text !== '' || streamed) this.#sink.emit({ type: `${place.type}.completed`, text, ...where(id, place) });
  }
}

function where(id: string, place: Place): { block_id?: string; message_id?: string; parent_item_id?: string } {
  return compact({ block_id: id === '' ? undefined : id, message_id: place.message, parent_item_id: place.parent }) as {
    block_id?: string;
    message_id?: string;
    parent_item_id?: string;
  };
}
