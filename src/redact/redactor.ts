import type { AgentEvent, EventOf, EventType } from '../events/event.ts';
import { shapes } from '../events/shapes.ts';
import { Cleaner } from './cleaner.ts';
import { cutAfter, cutBefore } from './cut.ts';
import { BlockStreams, type EventSink, type Piece, Stream } from './streams.ts';
import { Finder } from './finder.ts';
import { withoutKeyEnds } from './private-key.ts';
import { formsOf, longestFirst } from './secrets.ts';
import { secretFieldKind } from './secret-fields.ts';
import { isSecretMember, kindOfDocument } from './secret-documents.ts';
import { SecretLines } from './secret-lines.ts';
import { isSecretName, secretNameIn } from './secret-field-names.ts';
import { marker, secretNamesShown } from './shapes.ts';
import { isObject } from '../json/read.ts';

export type { EventSink } from './streams.ts';

/** Streams in the order in which their held-back text is emitted. */
const outputStreams = { none: 0, stdout: 1, stderr: 2, progress: 3 } as const;

/** No secret is shorter than this, including its required context. */
const shortestText = 8;

/** A text is read in pieces of this length until enough of it is clean. */
const beyondCut = 16 * 1024;

/** Each field name has its own number, the same in every event. */
const fieldNumbers = new Map<string, number>();

/** Fields that hold text of the agent; the others hold our own vocabulary and are left alone. */
const fieldsOf = new Map(
  Object.entries(shapes).map(([type, fields]) => {
    const open = Object.keys(fields).filter((field) => /^~?(?:string|id|json)\??$/.test(fields[field] ?? ''));
    for (const field of open) if (!fieldNumbers.has(field)) fieldNumbers.set(field, fieldNumbers.size);
    return [type as EventType, new Map(open.map((name) => [name, fieldNumbers.get(name) ?? 0]))];
  }),
);

/** JSON.parse reads any depth, but all other code that walks a value overflows the stack; no meaningful value is nested this deeply. */
const deepest = 500;
const tooDeep = '[nested too deeply]';

interface FieldName {
  /** Without secrets. */
  name: string;
  /** Its value is a secret, if it looks like one. */
  secret: boolean;
  /** It holds the value for a name given in another field: `{"name": "API_TOKEN", "value": …}`. */
  holds: boolean;
}

/** Replaces secrets in events, texts and JSON by `[redacted:name]`: known shapes, and the values it is given. */
export class Redactor {
  #values: readonly string[];
  #finder: Finder;
  readonly #texts = new BlockStreams();
  readonly #reasoning = new BlockStreams();
  /** By item, then by stream number. */
  readonly #outputs = new Map<string, Stream[]>();
  readonly #fieldNames = new Map<string, FieldName>();
  readonly #lines = new Map<string, SecretLines>();
  /** By field number. */
  readonly #lastClean: string[] = Array.from(fieldNumbers, () => '');
  /** The last text that consisted of a single piece. */
  #only: { raw: string; text: string } | undefined;
  /** How many lists and objects enclose the current value. */
  #depth = 0;
  #tally = { count: 0 };

  /** `values` shorter than 8 characters are ignored. */
  constructor(options: { values?: readonly string[] } = {}) {
    this.#values = options.values ?? [];
    this.#finder = finderFor(this.#values);
  }

  /** Adds values to replace; to be called before any text that may hold them. */
  learn(values: readonly string[]): void {
    if (values.length === 0) return;
    this.#values = [...this.#values, ...values];
    this.#finder = finderFor(this.#values);
  }

  /** A redactor for the same values, but only these kinds of known shapes. */
  narrowed(kinds: readonly string[]): Redactor {
    const narrow = new Redactor();
    narrow.#finder = new Finder(worthFinding(this.#values), kinds);
    narrow.#tally = this.#tally;
    return narrow;
  }

  /** How many secrets were replaced. A text that arrives both in deltas and as a whole counts once. */
  get count(): number {
    return this.#tally.count;
  }

  /** `isWhole`: a delta that is its entire block, whose end follows immediately. */
  push(event: AgentEvent, synthetic: boolean, emit: EventSink, isWhole = false): void {
    switch (event.type) {
      case 'text.delta':
        if (isWhole) return this.#onlyPiece(event, synthetic, emit);
        return this.#piece(this.#texts.open(event, this.#finder), event, synthetic, emit);
      case 'reasoning.delta':
        if (isWhole) return this.#onlyPiece(event, synthetic, emit);
        return this.#piece(this.#reasoning.open(event, this.#finder), event, synthetic, emit);
      case 'item.output':
        return this.#piece(this.#output(event), event, synthetic, emit);
      case 'text.completed':
        return this.#whole(event, this.#texts.close(event), synthetic, emit);
      case 'reasoning.completed':
        return this.#whole(event, this.#reasoning.close(event), synthetic, emit);
      case 'item.completed':
        if (this.#outputs.size > 0) this.#endOutputs(event.item_id, emit);
        break;
      case 'log':
        return emit(this.#log(event), synthetic);
      default:
    }
    emit(this.#fields(event), synthetic);
  }

  /** The stream is over: emits what was held back. */
  end(emit: EventSink): void {
    for (const stream of this.#texts.closeAll()) stream.end(emit);
    for (const stream of this.#reasoning.closeAll()) stream.end(emit);
    for (const item of this.#outputs.keys()) this.#endOutputs(item, emit);
  }

  text(text: string): string {
    const first = this.#firstIn(text);
    return first < 0 ? text : this.#clean(text, first);
  }

  /** Where a secret may begin; -1: nowhere. */
  #firstIn(text: string): number {
    return text.length < shortestText ? -1 : this.#finder.next(text, 0, false, 0);
  }

  #clean(text: string, first: number): string {
    const cleaner = new Cleaner(this.#finder);
    const clean = cleaner.push(text, true, first);
    this.#tally.count += cleaner.count;
    return cleaner.count === 0 ? text : clean;
  }

  /** One line of a text that arrives line by line; earlier lines of `stream` may show what it is. */
  line(line: string, stream: string): string {
    let lines = this.#lines.get(stream);
    if (lines === undefined) this.#lines.set(stream, (lines = new SecretLines()));
    const kind = lines.kindOf(line);
    if (kind === undefined) return this.#wholeText(line);
    this.#tally.count += 1;
    return marker(kind);
  }

  /** Its first `most` characters. Secrets are taken out before the text is cut: half a key cannot be recognised. */
  quote(text: string, most: number, ellipsis?: string): string {
    if (text.length <= most + beyondCut) return cutAfter(this.#wholeText(text), most, ellipsis);
    // What is undecided at the end of a piece is not in the result, so only as much is read as is needed.
    const cleaner = new Cleaner(this.#finder);
    let clean = '';
    for (let at = 0; at < text.length && clean.length <= most; at += beyondCut)
      clean += cleaner.push(text.slice(at, at + beyondCut), at + beyondCut >= text.length);
    this.#tally.count += cleaner.count;
    return cutAfter(this.#withoutKeyEnds(clean), most, ellipsis);
  }

  /** Its last `most` characters, likewise. */
  quoteEnd(text: string, most: number): string {
    return cutBefore(this.#wholeText(text), most);
  }

  /** A text that is not in pieces: the end of a private key shows what precedes it. */
  #wholeText(text: string): string {
    const first = this.#firstIn(text);
    return first < 0 ? text : this.#withoutKeyEnds(this.#clean(text, first));
  }

  #withoutKeyEnds(text: string): string {
    if (!text.includes('-----END')) return text;
    return withoutKeyEnds(text, () => {
      this.#tally.count += 1;
      return marker('private-key');
    });
  }

  /** Returns the same value when there is no secret in it. */
  json<T>(value: T): T {
    return this.#json(value) as T;
  }

  #json(value: unknown): unknown {
    if (typeof value === 'string') return this.#wholeText(value);
    if (typeof value !== 'object' || value === null) return value;
    if (this.#depth >= deepest) return tooDeep;
    this.#depth += 1;
    const clean = Array.isArray(value) ? this.#array(value) : this.#object(value as Record<string, unknown>);
    this.#depth -= 1;
    return clean;
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
    const kind = kindOfDocument(object);
    let changes: Map<string, [string, unknown]> | undefined;
    for (const field of fields) {
      const { name, secret, holds } = this.#fieldName(field);
      const of = secret ? field : holds ? secretNameIn(object) : undefined;
      const clean =
        kind !== undefined && isSecretMember(kind, field)
          ? this.#replaced(object[field], kind)
          : of === undefined
            ? this.#json(object[field])
            : this.#secretField(of, object[field]);
      if (name !== field || clean !== object[field]) (changes ??= new Map()).set(field, [name, clean]);
    }
    if (changes === undefined) return object;
    const taken = new Set(fields);
    const numbers = new Map<string, number>();
    const entries = fields.map((field): [string, unknown] => {
      const [name, value] = changes.get(field) ?? [field, object[field]];
      if (name === field) return [field, value];
      let free = name;
      for (let n = numbers.get(name) ?? 2; taken.has(free); n += 1) {
        free = `${name} ${n}`;
        numbers.set(name, n + 1);
      }
      taken.add(free);
      return [free, value];
    });
    return Object.fromEntries(entries);
  }

  /** Field names recur in every event, so those without secrets are cached. */
  #fieldName(field: string): FieldName {
    const known = this.#fieldNames.get(field);
    if (known !== undefined) return known;
    const made = { name: this.text(field), secret: isSecretName(field), holds: /^val(?:ue)?$/i.test(field) };
    if (made.name === field && field.length <= 64 && this.#fieldNames.size < 10_000) this.#fieldNames.set(field, made);
    return made;
  }

  /** Every text in a part of a document that holds nothing but secrets. */
  #replaced(value: unknown, kind: string): unknown {
    if (typeof value === 'string' && value !== '') {
      this.#tally.count += 1;
      return marker(kind);
    }
    if (!isObject(value)) return this.#json(value);
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [
        this.text(name),
        typeof each === 'string' ? this.#replaced(each, kind) : this.#json(each),
      ]),
    );
  }

  /** A value beside its name is an assignment, even though the two are separate texts. */
  #secretField(field: string, value: unknown): unknown {
    const clean = this.#json(value);
    if (clean !== value || typeof value !== 'string' || value.length > 4096) return clean;
    const kind = secretFieldKind(field, value);
    if (kind === undefined) return clean;
    this.#tally.count += 1;
    return marker(kind);
  }

  #fields<Event extends AgentEvent>(event: Event, except?: string): Event {
    const values = event as unknown as Record<string, unknown>;
    const open = fieldsOf.get(event.type);
    let out: Record<string, unknown> | undefined;
    for (const name in values) {
      const number = open?.get(name);
      if (number === undefined || name === except) continue;
      const value = values[name];
      // Ids recur in every event of their turn.
      if (value === undefined || value === this.#lastClean[number]) continue;
      const clean = this.#json(value);
      if (clean !== value) (out ??= { ...values })[name] = clean;
      else if (typeof value === 'string' && value.length < 100) this.#lastClean[number] = value;
    }
    return (out as Event | undefined) ?? event;
  }

  #log(event: EventOf<'log'>): AgentEvent {
    const rest = this.#fields(event, 'text');
    const text = this.line(event.text, event.stream);
    return text === event.text ? rest : { ...rest, text };
  }

  #output({ item_id: id, stream: name }: EventOf<'item.output'>): Stream {
    let streams = this.#outputs.get(id);
    if (streams === undefined) this.#outputs.set(id, (streams = []));
    return (streams[outputStreams[name ?? 'none']] ??= new Stream(this.#finder));
  }

  #endOutputs(item: string, emit: EventSink): void {
    const streams = this.#outputs.get(item);
    if (streams === undefined) return;
    this.#outputs.delete(item);
    for (const stream of streams) {
      stream?.end(emit);
      this.#tally.count += stream?.count ?? 0;
    }
  }

  #piece(stream: Stream, event: Piece, synthetic: boolean, emit: EventSink): void {
    stream.push(this.#fields(event, event.type === 'item.output' ? 'chunk' : 'text'), synthetic, emit);
  }

  #onlyPiece(event: EventOf<'text.delta' | 'reasoning.delta'>, synthetic: boolean, emit: EventSink): void {
    const { text: raw } = event;
    const text = this.text(raw);
    this.#only = { raw, text };
    const rest = this.#fields(event, 'text');
    emit(text === raw ? rest : { ...rest, text }, synthetic);
  }

  #whole(
    event: EventOf<'text.completed' | 'reasoning.completed'>,
    stream: Stream | undefined,
    synthetic: boolean,
    emit: EventSink,
  ): void {
    stream?.end(emit);
    // The whole is as clean as its pieces were.
    const text =
      stream?.isUntouched === true
        ? event.text
        : this.#only?.raw === event.text
          ? this.#only.text
          : this.text(event.text);
    this.#only = undefined;
    const rest = this.#fields(event, 'text');
    emit(text === event.text ? rest : { ...rest, text }, synthetic);
  }
}

let latest: { values: readonly string[]; finder: Finder } | undefined;

/** Successive runs have the same values, and a finder keeps no state, so it can be reused. */
function finderFor(values: readonly string[]): Finder {
  const isSame =
    latest?.values.length === values.length && values.every((value, index) => value === latest?.values[index]);
  if (latest === undefined || !isSame) latest = { values: [...values], finder: new Finder(worthFinding(values)) };
  return latest.finder;
}

function worthFinding(values: readonly string[]): string[] {
  const shown = secretNamesShown.map(marker).join('\n');
  const forms = values.filter((value) => value.length >= shortestText).flatMap(formsOf);
  // A value that is a part of our own marker would be found in every marker.
  return longestFirst(forms).filter((form) => !shown.includes(form));
}
