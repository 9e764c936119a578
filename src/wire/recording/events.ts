import type { Json } from '../../json/json.ts';
import { parseJson } from '../../json/parse.ts';
import { isObject } from '../../json/read.ts';

type Leaf = string | number | boolean | null;

/** One event of a streamed answer whose data is JSON. */
interface StreamEvent {
  name: string | undefined;
  data: Json;
  /** The same for all events that differ only in their leaves. */
  shape: string;
  leaves: Leaf[];
  /** The field that each leaf stands in. */
  fields: readonly string[];
}

/** A streamed answer, event by event; what is not an event with JSON is text. */
export type StreamedAnswer = (string | StreamEvent)[];

/**
 * As it is kept. An event that has the shape of an earlier one, of this answer or another, is `[shape, leaf, value, leaf, value, …]`:
 * only the leaves that changed since. Any other is `{name?, data}`, and gives its shape the next number.
 */
export type CompactEvent = string | { name?: string; data: Json } | Leaf[];

/** A provider has a few dozen; more are not remembered, whatever it sends. */
const mostShapes = 1000;

export function readEvents(text: string): StreamedAnswer {
  return blocksOf(text).map((block) => eventIn(block) ?? block);
}

/** What the agent is sent. Spaces and line ends that mean nothing are ours. */
export function writeEvents(events: StreamedAnswer): string {
  return events
    .map((event) => (typeof event === 'string' ? event : blockOf(event.name, filled(event.data, leavesOf(event)))))
    .join('');
}

/** Writes the answers of a recording, one after the other. */
export class EventCompactor {
  readonly #shapes = new Map<string, { number: number; leaves: readonly Leaf[] }>();

  compact(events: StreamedAnswer): CompactEvent[] {
    return events.map((event) => (typeof event === 'string' ? event : this.#compact(event)));
  }

  #compact(event: StreamEvent): CompactEvent {
    const { name, shape, leaves } = event;
    const known = this.#shapes.get(shape);
    if (known !== undefined || this.#shapes.size < mostShapes)
      this.#shapes.set(shape, { number: known?.number ?? this.#shapes.size, leaves });
    if (known === undefined)
      return { ...(name === undefined ? {} : { name }), data: filled(event.data, leavesOf(event)) };
    return [known.number, ...leaves.flatMap((leaf, index) => (leaf === known.leaves[index] ? [] : [index, leaf]))];
  }
}

/** Reads what an `EventCompactor` wrote, in the same order. An event that refers to one that is missing throws: the recording is damaged. */
export class EventExpander {
  readonly #shapes: StreamEvent[] = [];

  expand(compact: readonly CompactEvent[]): StreamedAnswer {
    return compact.map((event) => {
      if (typeof event === 'string') return event;
      if (Array.isArray(event)) return this.#changed(event);
      const made = streamEvent(event.name, event.data);
      if (this.#shapes.length < mostShapes) this.#shapes.push(made);
      return made;
    });
  }

  #changed([number, ...changes]: Leaf[]): StreamEvent {
    const earlier = this.#shapes[number as number];
    if (earlier === undefined)
      throw new RangeError(`an event has the shape ${JSON.stringify(number)}, which is missing`);
    const leaves = [...earlier.leaves];
    for (let at = 0; at + 1 < changes.length; at += 2) leaves[changes[at] as number] = changes[at + 1] ?? null;
    return (this.#shapes[number as number] = { ...earlier, leaves });
  }
}

/**
 * Without secrets. A secret may be spread over many events, each with a piece of it: the pieces of one field are looked at as one
 * text, and if that holds a secret, the first of them gets all of the clean text.
 */
export function cleanEvents(events: StreamedAnswer, clean: (text: string, field: string) => string): StreamedAnswer {
  const copies = events.map((event) =>
    typeof event === 'string' ? clean(event, '') : { ...event, leaves: [...event.leaves] },
  );
  for (const { field, pieces } of piecesOf(copies)) {
    const whole = pieces.map(({ text }) => text).join('');
    const isRepeated = pieces.every(({ text }) => text === pieces[0]?.text);
    if (isRepeated) pieces.forEach(({ event, leaf, text }) => (event.leaves[leaf] = clean(text, field)));
    else if (clean(whole, field) !== whole)
      pieces.forEach(({ event, leaf }, index) => (event.leaves[leaf] = index === 0 ? clean(whole, field) : ''));
  }
  return copies;
}

/** The texts of each field, through all events of a shape. */
function piecesOf(
  events: StreamedAnswer,
): Iterable<{ field: string; pieces: { event: StreamEvent; leaf: number; text: string }[] }> {
  const found = new Map<string, { field: string; pieces: { event: StreamEvent; leaf: number; text: string }[] }>();
  for (const event of events) {
    if (typeof event === 'string') continue;
    event.leaves.forEach((text, leaf) => {
      if (typeof text !== 'string') return;
      const key = `${leaf} ${event.shape}`;
      const entry = found.get(key) ?? { field: event.fields[leaf] ?? '', pieces: [] };
      entry.pieces.push({ event, leaf, text });
      found.set(key, entry);
    });
  }
  return found.values();
}

/** With the empty line that ends each; what follows the last one is a block too. */
function blocksOf(text: string): string[] {
  const blocks: string[] = [];
  let start = 0;
  for (const {
    0: { length },
    index,
  } of text.matchAll(/\r?\n\r?\n/g)) {
    blocks.push(text.slice(start, index + length));
    start = index + length;
  }
  if (start < text.length) blocks.push(text.slice(start));
  return blocks;
}

function eventIn(block: string): StreamEvent | undefined {
  const [, name, json] = /^(?:event: ?([^\r\n]*)\r?\n)?data: ?([^\r\n]*)\r?\n\r?\n$/.exec(block) ?? [];
  const data = json === undefined ? undefined : parseJson(json);
  return isObject(data) || Array.isArray(data) ? streamEvent(name, data) : undefined;
}

function streamEvent(name: string | undefined, data: Json): StreamEvent {
  const leaves: Leaf[] = [];
  const fields: string[] = [];
  return { name, data, shape: `${name ?? ''}\n${outline(data, '', leaves, fields)}`, leaves, fields };
}

function blockOf(name: string | undefined, data: Json): string {
  return `${name === undefined ? '' : `event: ${name}\n`}data: ${withoutOddBreaks(JSON.stringify(data))}\n\n`;
}

/** Some readers take these for the end of a line, and providers spell them out for that. */
function withoutOddBreaks(json: string): string {
  return json.replaceAll(/[\u0085\u2028\u2029]/g, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Its structure and names without its leaves, which are added to `leaves` in order. */
function outline(value: Json, field: string, leaves: Leaf[], fields: string[]): string {
  if (Array.isArray(value)) return `[${value.map((each) => outline(each, field, leaves, fields)).join(',')}]`;
  if (isObject(value)) {
    const parts = Object.entries(value).map(
      ([name, each]) => `${JSON.stringify(name)}:${outline(each, name, leaves, fields)}`,
    );
    return `{${parts.join(',')}}`;
  }
  leaves.push(value);
  fields.push(field);
  return '.';
}

function leavesOf({ leaves }: StreamEvent): { leaves: readonly Leaf[]; next: number } {
  return { leaves, next: 0 };
}

function filled(value: Json, from: { leaves: readonly Leaf[]; next: number }): Json {
  if (Array.isArray(value)) return value.map((each) => filled(each, from));
  if (isObject(value))
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, filled(each, from)]));
  return from.leaves[from.next++] ?? null;
}
