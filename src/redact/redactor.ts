import type { AgentEvent, EventOf, EventType } from '../events/event.ts';
import { shapes } from '../events/shapes.ts';
import { Cleaner } from './cleaner.ts';
import { Finder } from './finder.ts';
import { PrivateKeyLines } from './private-key.ts';
import { looksRandom } from './randomness.ts';
import { formsOf, longestFirst } from './secrets.ts';
import { isSecretName, marker, secretNamesShown } from './shapes.ts';

export type EventSink = (event: AgentEvent, synthetic: boolean) => void;

type Piece = EventOf<'text.delta' | 'reasoning.delta' | 'item.output'>;

/** A text that comes in pieces, and the last event that brought one. */
interface Stream {
  cleaner: Cleaner;
  last: Piece;
  synthetic: boolean;
  /** Nothing was replaced or held back so far: the whole is as clean as its pieces. */
  untouched: boolean;
}

const outputStreams = ['', 'stdout', 'stderr', 'progress'];

/** No secret is shorter, with what must stand around it. */
const shortestText = 8;

/** Fields that hold words of the agent; the others are words of ours and stay. */
const fieldsOf = new Map(
  Object.entries(shapes).map(([type, fields]) => {
    const open = Object.keys(fields).filter((field) => /^~?(?:string|id|json)\??$/.test(fields[field] ?? ''));
    return [type as EventType, open];
  }),
);

/** Replaces secrets in events, texts and JSON by `[redacted:name]`: known shapes, and the values it is given. */
export class Redactor {
  readonly #finder: Finder;
  /** By block, or by item and stream. */
  readonly #streams = new Map<string, Stream>();
  readonly #fieldNames = new Map<string, { name: string; secret: boolean }>();
  readonly #logs = new Map<string, PrivateKeyLines>();
  readonly #lastClean: Record<string, string> = Object.create(null) as Record<string, string>;
  #count = 0;

  /** `values` shorter than 8 characters are ignored. */
  constructor(options: { values?: readonly string[] } = {}) {
    const shown = secretNamesShown.map(marker);
    const values = (options.values ?? []).filter((value) => value.length >= shortestText).flatMap(formsOf);
    // A value that is a part of our own marker would be found in every marker.
    this.#finder = new Finder(longestFirst(values).filter((value) => !shown.some((each) => each.includes(value))));
  }

  /** How many secrets were replaced. A text that comes in deltas and as a whole counts once. */
  get count(): number {
    return this.#count;
  }

  push(event: AgentEvent, synthetic: boolean, emit: EventSink): void {
    switch (event.type) {
      case 'text.delta':
      case 'reasoning.delta':
        return this.#piece(`${event.type} ${event.parent_item_id ?? ''} ${event.block_id}`, event, 'text', synthetic, emit);
      case 'item.output':
        return this.#piece(`item ${event.item_id} ${event.stream ?? ''}`, event, 'chunk', synthetic, emit);
      case 'text.completed':
      case 'reasoning.completed': {
        const delta = event.type === 'text.completed' ? 'text.delta' : 'reasoning.delta';
        const wasUntouched = this.#flush(`${delta} ${event.parent_item_id ?? ''} ${event.block_id}`, emit);
        return emit(this.#fields(event, wasUntouched ? 'text' : undefined), synthetic);
      }
      case 'item.completed':
        if (this.#streams.size > 0) for (const stream of outputStreams) this.#flush(`item ${event.item_id} ${stream}`, emit);
        break;
      case 'log':
        return emit(this.#log(event), synthetic);
      default:
    }
    emit(this.#fields(event), synthetic);
  }

  /** Nothing more comes: what is held back goes out. */
  end(emit: EventSink): void {
    for (const key of this.#streams.keys()) this.#flush(key, emit);
  }

  text(text: string): string {
    if (text.length < shortestText || this.#finder.next(text, 0, false) < 0) return text;
    const cleaner = new Cleaner(this.#finder);
    const clean = cleaner.push(text, true);
    this.#count += cleaner.count;
    return cleaner.count === 0 ? text : clean;
  }

  /** The same value when there is no secret in it. */
  json<T>(value: T): T {
    return this.#json(value) as T;
  }

  #json(value: unknown): unknown {
    if (typeof value === 'string') return this.text(value);
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return this.#array(value);
    return this.#object(value as Record<string, unknown>);
  }

  #array(list: readonly unknown[]): unknown {
    let out: unknown[] | undefined;
    for (let i = 0; i < list.length; i += 1) {
      const clean = this.#json(list[i]);
      if (clean === list[i]) continue;
      out ??= [...list];
      out[i] = clean;
    }
    return out ?? list;
  }

  #object(object: Record<string, unknown>): unknown {
    const fields = Object.keys(object);
    let changes: Map<string, [string, unknown]> | undefined;
    for (const field of fields) {
      const { name, secret } = this.#fieldName(field);
      const clean = secret ? this.#secretField(object[field]) : this.#json(object[field]);
      if (name !== field || clean !== object[field]) (changes ??= new Map()).set(field, [name, clean]);
    }
    if (changes === undefined) return object;
    const taken = new Set(fields);
    const entries = fields.map((field): [string, unknown] => {
      const [name, value] = changes.get(field) ?? [field, object[field]];
      if (name === field) return [field, value];
      let free = name;
      for (let n = 2; taken.has(free); n += 1) free = `${name} ${n}`;
      taken.add(free);
      return [free, value];
    });
    return Object.fromEntries(entries);
  }

  /** Field names come again with every event; the clean ones are remembered. */
  #fieldName(field: string): { name: string; secret: boolean } {
    const known = this.#fieldNames.get(field);
    if (known !== undefined) return known;
    const made = { name: this.text(field), secret: isSecretName(field) };
    if (made.name === field && field.length <= 64 && this.#fieldNames.size < 10_000) this.#fieldNames.set(field, made);
    return made;
  }

  /** A value beside its name is an assignment, though the two are texts of their own. */
  #secretField(value: unknown): unknown {
    const clean = this.#json(value);
    if (clean !== value || typeof value !== 'string' || value.length > 4096 || /\s/.test(value) || !looksRandom(value, 12)) return clean;
    this.#count += 1;
    return marker('assigned-secret');
  }

  #fields<Event extends AgentEvent>(event: Event, except?: string): Event {
    const fields = event as unknown as Record<string, unknown>;
    let out: Record<string, unknown> | undefined;
    for (const field of fieldsOf.get(event.type) ?? []) {
      const value = fields[field];
      // Ids come again with every event of their turn.
      if (value === undefined || field === except || value === this.#lastClean[field]) continue;
      const clean = this.#json(value);
      if (clean === value && typeof value === 'string' && value.length < 100) this.#lastClean[field] = value;
      if (clean !== value) (out ??= { ...fields })[field] = clean;
    }
    return (out as Event | undefined) ?? event;
  }

  #log(event: EventOf<'log'>): AgentEvent {
    let lines = this.#logs.get(event.stream);
    if (lines === undefined) this.#logs.set(event.stream, (lines = new PrivateKeyLines()));
    if (!lines.isBody(event.text)) return this.#fields(event);
    this.#count += 1;
    return { ...event, text: marker('private-key') };
  }

  #piece(key: string, event: Piece, field: 'text' | 'chunk', synthetic: boolean, emit: EventSink): void {
    const visible = this.#fields(event, field);
    let stream = this.#streams.get(key);
    if (stream === undefined)
      this.#streams.set(key, (stream = { cleaner: new Cleaner(this.#finder), last: visible, synthetic, untouched: true }));
    stream.last = visible;
    stream.synthetic = synthetic;
    const raw = pieceOf(event);
    const clean = stream.cleaner.push(raw);
    if (clean !== raw) stream.untouched = false;
    if (clean === raw) emit(visible, synthetic);
    else if (clean !== '') emit(withPiece(visible, clean), synthetic);
  }

  /** Whether every piece went out as it came. */
  #flush(key: string, emit: EventSink): boolean {
    const stream = this.#streams.get(key);
    if (stream === undefined) return false;
    this.#streams.delete(key);
    const rest = stream.cleaner.push('', true);
    if (stream.last.type === 'item.output') this.#count += stream.cleaner.count;
    if (rest !== '') emit(withPiece(stream.last, rest), stream.synthetic);
    return stream.untouched;
  }
}

function pieceOf(event: Piece): string {
  return event.type === 'item.output' ? event.chunk : event.text;
}

function withPiece(event: Piece, piece: string): Piece {
  return event.type === 'item.output' ? { ...event, chunk: piece } : { ...event, text: piece };
}
