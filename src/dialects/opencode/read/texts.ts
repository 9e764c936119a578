import { present } from '../../../json/present.ts';
import type { DecoderSink } from '../../dialect.ts';
import type { JsonObject } from '../../../json/json.ts';
import { asText, filled, isObject, object, string } from '../../../json/read.ts';
import { tellTime } from '../../kit/time.ts';
import type { Lane } from './lane.ts';
import type { Recent } from '../../kit/recent.ts';

interface TextIds {
  type: 'text' | 'reasoning';
  message: string | undefined;
  parent: string | undefined;
}

interface OpenText extends TextIds {
  /** The newest complete text, if no deltas came. */
  text: string;
  streamed: boolean;
}

/** No run has this many texts open at once: the oldest ones lack their end. */
const maxOpen = 1000;

/**
 * Text on the bus grows by deltas or by complete snapshots, and some versions never say that it ended.
 * The last snapshot wins.
 */
export class Texts {
  readonly #sink: DecoderSink;
  /** Parts that have ended. */
  readonly #done: Recent<true>;
  readonly #open = new Map<string, OpenText>();
  /** The open texts of each message, so that its end needs no search. */
  readonly #byMessage = new Map<string | undefined, Set<string>>();
  /** Snapshots without a time, which never say that they end: they count as complete once anything else happens. */
  readonly #loose = new Set<string>();

  constructor(sink: DecoderSink, done: Recent<true>) {
    this.#sink = sink;
    this.#done = done;
  }

  /** `message.part.updated`: the whole text so far, and in some versions the new part of it. */
  update(lane: Lane, type: TextIds['type'], part: JsonObject, delta: string | undefined): void {
    const id = string(part.id) ?? '';
    const owner = string(part.messageID);
    const key = `${owner ?? ''} ${id}`;
    if (this.#done.has(key)) return;
    const place = { type, message: filled(lane.voiceOf(owner)), parent: lane.parent };
    const span = object(part.time);
    if (type === 'text' && asText(delta ?? part.text).trim() !== '') lane.spokeIn = owner;
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
    if (delta.trim() !== '') lane.spokeIn = owner;
    this.#add(id, delta, { type: 'text', message: filled(lane.voiceOf(owner)), parent: lane.parent });
  }

  /** Another line came, about another part. */
  settle(except: string | undefined): void {
    if (this.#loose.size === 0) return;
    for (const id of this.#loose) if (id !== except) this.#close(id);
  }

  /** The message is over. */
  flush(message: string | undefined): void {
    if (message === undefined) return this.#closeAll(this.#open.keys());
    this.#closeAll(this.#byMessage.get(message) ?? []);
    this.#closeAll(this.#byMessage.get(undefined) ?? []);
  }

  #add(id: string, delta: string, place: TextIds): void {
    const part = this.#open.get(id) ?? this.#start(id, { ...place, text: '', streamed: true });
    part.streamed = true;
    if (delta !== '') this.#sink.emit({ type: `${part.type}.delta`, text: delta, ...where(id, part) });
  }

  #replace(id: string, text: string, place: TextIds, timed: boolean): void {
    const known = this.#open.get(id);
    if (known !== undefined) known.text = text;
    else {
      this.#start(id, { ...place, text, streamed: false });
      if (!timed) this.#loose.add(id);
    }
  }

  #complete(id: string, text: string, place: TextIds): void {
    const streamed = this.#forget(id)?.streamed === true;
    if (text !== '' || streamed) this.#sink.emit({ type: `${place.type}.completed`, text, ...where(id, place) });
  }

  #start(id: string, part: OpenText): OpenText {
    const [oldest] = this.#open.size < maxOpen ? [] : this.#open.keys();
    if (oldest !== undefined) this.#closeAll([oldest]);
    this.#open.set(id, part);
    const siblings = this.#byMessage.get(part.message);
    if (siblings === undefined) this.#byMessage.set(part.message, new Set([id]));
    else siblings.add(id);
    return part;
  }

  #closeAll(ids: Iterable<string>): void {
    for (const id of ids) {
      // What was streamed is closed by the end of the turn.
      if (this.#open.get(id)?.streamed === true) this.#forget(id);
      else this.#close(id);
    }
  }

  #close(id: string): void {
    const part = this.#open.get(id);
    if (part !== undefined) this.#complete(id, part.text, part);
  }

  #forget(id: string): OpenText | undefined {
    const part = this.#open.get(id);
    if (part === undefined) return undefined;
    this.#open.delete(id);
    this.#loose.delete(id);
    const siblings = this.#byMessage.get(part.message);
    siblings?.delete(id);
    if (siblings?.size === 0) this.#byMessage.delete(part.message);
    return part;
  }
}

function where(id: string, place: TextIds): { block_id?: string; message_id?: string; parent_item_id?: string } {
  return present({ block_id: id === '' ? undefined : id, message_id: place.message, parent_item_id: place.parent }) as {
    block_id?: string;
    message_id?: string;
    parent_item_id?: string;
  };
}
