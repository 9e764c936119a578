import { z } from 'zod';
import type { FileState } from '../../files/file-state.ts';
import type { Json, JsonObject } from '../../json/json.ts';
import { isObject } from '../../json/read.ts';
import { type Clean, cleanField, cleanJson } from './clean.ts';
import { cleanEvents, type CompactEvent, EventCompactor, EventExpander, readEvents, writeEvents } from './events.ts';
import { applyDifference, differenceFrom } from './likeness.ts';
import { PartReader, PartWriter } from './parts.ts';

/** Whose requests these are, and where they were made: what a replay needs to make them again. */
export const RecordingHead = z.object({
  runwire: z.literal('wire-recording'),
  version: z.literal(1),
  agent: z.string().optional(),
  agent_version: z.string().optional(),
  cwd: z.string().optional(),
  home: z.string().optional(),
  /** What was checked out, and on which branch; empty: on none. */
  commit: z.string().optional(),
  branch: z.string().optional(),
  /** How many files were not as in that commit. */
  dirty: z.int().optional(),
  /** What was asked of the run, as it is stored and queued. */
  spec: z.record(z.string(), z.json()).optional(),
});
export type RecordingHead = z.infer<typeof RecordingHead>;

/** A request as the agent made it. */
export interface RecordedRequest {
  number: number;
  /** When, in milliseconds since the first one. */
  at_ms: number;
  api: string;
  route: string;
  method: string;
  /** Below the route's address, with its query. */
  path: string;
  body: Json;
}

/** What came back. */
export interface RecordedAnswer {
  number: number;
  status: number | null;
  content_type: string;
  /** Headers that say whether and when to ask again. */
  retry?: Readonly<Record<string, string>> | undefined;
  ended: string;
  first_byte_ms?: number | undefined;
  duration_ms: number;
  /** The body as text, without secrets. */
  body: string;
}

export interface RecordedExchange {
  request: RecordedRequest;
  /** Unset: none came, or the recording ends before it. */
  answer: RecordedAnswer | undefined;
}

/** It was parsed as JSON, so it is not looked at again: that would cost more, and lose fields with odd names. */
const Parsed = z.custom<Json>((value) => value !== undefined);

const Line = z.union([
  z.object({ part: z.int(), value: Parsed }),
  z.object({
    request: z.int(),
    at_ms: z.number(),
    api: z.string(),
    route: z.string(),
    method: z.string(),
    path: z.string(),
    /** The body is as that of this request, except for `body`. */
    like: z.int().optional(),
    without: z.array(z.string()).optional(),
    body: Parsed,
  }),
  z.object({
    answer: z.int(),
    status: z.int().nullable(),
    content_type: z.string(),
    retry: z.partialRecord(z.enum(['retry-after', 'retry-after-ms', 'x-should-retry']), z.string()).optional(),
    ended: z.string(),
    first_byte_ms: z.number().optional(),
    duration_ms: z.number(),
    events: z.array(Parsed).optional(),
    json: Parsed.optional(),
    text: z.string().optional(),
  }),
  z.object({ files: z.array(z.tuple([z.string(), z.string().nullable()])) }),
]);
type Line = z.infer<typeof Line>;

/**
 * Writes what went over the wire, line by line, without secrets. Every message, tool and text is kept once, so that a conversation
 * costs its length and not its square.
 */
export class RecordingWriter {
  readonly #write: (line: JsonObject) => void;
  readonly #clean: Clean;
  readonly #parts: PartWriter;
  readonly #events = new EventCompactor();
  /** The last body of each path, encoded. */
  readonly #bodies = new Map<string, { number: number; body: JsonObject }>();

  constructor(head: Omit<RecordingHead, 'runwire' | 'version'>, clean: Clean, write: (line: JsonObject) => void) {
    this.#write = write;
    this.#clean = clean;
    this.#parts = new PartWriter((part) => write({ ...part }));
    write(JSON.parse(JSON.stringify({ runwire: 'wire-recording', version: 1, ...head })) as JsonObject);
  }

  request({ number, body: plain, ...rest }: RecordedRequest): void {
    const body = this.#parts.encode(cleanJson(plain, this.#clean));
    const head = { request: number, ...rest, path: this.#clean(rest.path) };
    const key = `${rest.method} ${rest.path}`;
    const earlier = this.#bodies.get(key);
    if (!isObject(body)) return this.#write({ ...head, body });
    this.#bodies.set(key, { number, body });
    if (earlier === undefined) return this.#write({ ...head, body });
    const { set, without } = differenceFrom(earlier.body, body);
    this.#write({ ...head, like: earlier.number, ...(without.length === 0 ? {} : { without }), body: set });
  }

  answer({ number, body, content_type, ...rest }: RecordedAnswer): void {
    this.#write(
      JSON.parse(
        JSON.stringify({ answer: number, content_type, ...rest, ...this.#encoded(body, content_type) }),
      ) as JsonObject,
    );
  }

  /** What the work came to, after each attempt. */
  files(files: readonly FileState[]): void {
    this.#write({ files: files.map(([path, content]) => [this.#clean(path), content]) });
  }

  #encoded(body: string, type: string): { events: Json[] } | { json: Json } | { text: string } {
    if (/^text\/event-stream\b/i.test(type)) {
      const events = cleanEvents(readEvents(body), (text, field) => cleanField(text, field, this.#clean));
      return { events: this.#events.compact(events).map((event) => this.#kept(event)) };
    }
    try {
      return { json: this.#parts.encode(cleanJson(JSON.parse(body) as Json, this.#clean)) };
    } catch {
      return { text: this.#clean(body) };
    }
  }

  /** A stream says its texts again at its end, and the next request says them to the model: they are kept once. */
  #kept(event: CompactEvent): Json {
    if (typeof event === 'string') return event;
    if (Array.isArray(event)) return event.map((each) => this.#parts.encode(each));
    return { ...event, data: this.#parts.encode(event.data) };
  }
}

/** Why a recording cannot be used, with the line. */
class DamagedRecording extends Error {}

/** Reads what a `RecordingWriter` wrote; a last line that was cut off is left out. */
export class RecordingReader {
  readonly #parts = new PartReader();
  readonly #events = new EventExpander();
  /** Bodies as they were encoded, by request. */
  readonly #bodies = new Map<number, JsonObject>();
  readonly exchanges: RecordedExchange[] = [];
  readonly #byNumber = new Map<number, RecordedExchange>();
  head: RecordingHead | undefined;
  /** Undefined: nobody looked. */
  files: readonly FileState[] | undefined;

  line(text: string): void {
    this.value(JSON.parse(text) as Json);
  }

  value(value: Json): void {
    if (this.head === undefined) {
      this.head = RecordingHead.parse(value);
      return;
    }
    const line = Line.parse(value) as Line;
    if ('part' in line) this.#parts.add(line as { part: number; value: Json });
    else if ('request' in line) this.#request(line);
    else if ('files' in line) this.files = line.files;
    else this.#answer(line);
  }

  #request({ request: number, like, without = [], body: written, ...rest }: Extract<Line, { request: number }>): void {
    const earlier = like === undefined ? undefined : this.#bodies.get(like);
    if (like !== undefined && (earlier === undefined || !isObject(written as Json)))
      throw new DamagedRecording(`request ${like} is missing`);
    const body =
      earlier === undefined ? (written as Json) : applyDifference(earlier, { set: written as JsonObject, without });
    if (isObject(body)) this.#bodies.set(number, body);
    const exchange = { request: { number, ...rest, body: this.#parts.decode(body) }, answer: undefined };
    this.exchanges.push(exchange);
    this.#byNumber.set(number, exchange);
  }

  #answer({ answer: number, events, json, text, ...rest }: Extract<Line, { answer: number }>): void {
    const exchange = this.#byNumber.get(number);
    if (exchange === undefined) throw new DamagedRecording(`the answer to request ${number} has no request`);
    const body =
      events !== undefined
        ? writeEvents(this.#events.expand((events as Json[]).map((event) => this.#read(event))))
        : json !== undefined
          ? JSON.stringify(this.#parts.decode(json as Json))
          : (text ?? '');
    exchange.answer = { number, ...rest, body };
  }

  #read(event: Json): CompactEvent {
    if (!isObject(event)) return this.#parts.decode(event) as CompactEvent;
    return { ...(event as { name?: string }), data: this.#parts.decode(event['data'] ?? null) };
  }
}
