import type { Dialect, Encoder, EncoderSink, JsonObject, Loss, Variant } from '../dialects/dialect.ts';
import type { EventRecord } from '../events/event.ts';
import { type Piece, recordLine } from '../events/record-json.ts';
import type { Note } from '../outcome/fold.ts';
import type { RunOutcome } from '../outcome/outcome.ts';
import { unlessTooLarge } from '../unless-too-large.ts';
import { RunParts } from './run-parts.ts';
import { unmarked } from './thread.ts';

export type Writable = Dialect & Required<Pick<Dialect, 'encoder'>>;

/** A dialect that is known to have an encoder, and its default variant. */
export function writable(dialect: Dialect): [dialect: Writable, variant: Variant] {
  return [dialect as Writable, dialect.variants?.[0] ?? { name: 'lines', layout: 'lines' }];
}

/** Records in, the text of one dialect out; what the dialect cannot express is counted. */
export class Writer {
  readonly losses = new Map<Loss, number>();
  readonly #dialect: Writable;
  readonly #variant: Variant;
  readonly #sink: EncoderSink;
  #encoder: Encoder;
  /** It writes the records themselves. */
  readonly isRecords: boolean;
  /** Unset: the output is one run, whatever was read. */
  readonly #parts: RunParts | undefined;
  readonly #out = new Outgoing();
  #last: EventRecord | undefined;
  #count = 0;

  constructor(dialect: Writable, variant: Variant) {
    this.#dialect = dialect;
    this.#variant = variant;
    this.isRecords = dialect.id === 'runwire';
    this.#sink = {
      line: (wire) => this.#line(wire),
      lose: (what) => void this.losses.set(what, (this.losses.get(what) ?? 0) + 1),
    };
    this.#encoder = dialect.encoder(this.#sink, variant.name);
    const { joins } = dialect;
    if (joins !== 'all' && variant.layout !== 'document' && variant.isOneObject !== true)
      this.#parts = new RunParts({ tellsTurns: joins === 'turns', countsSessions: dialect.countsSessions === true });
  }

  record(record: EventRecord): void {
    this.#last = record;
    const over = this.#parts?.see(record);
    if (over !== undefined) {
      if (over.claim !== undefined) this.#encoder.record(over.claim);
      this.#encoder.end(over.outcome);
      this.#encoder = this.#dialect.encoder(this.#sink, this.#variant.name);
      this.#encoder.follow?.();
      if (over.opening !== undefined) this.#encoder.record(this.#parts?.introduced(over.opening) ?? over.opening);
    }
    if (this.isRecords) this.#encoder.record(record);
    else this.#encoder.record(inTime(this.#parts?.isLater === true ? this.#inLaterPart(this.#parts, record) : record));
  }

  #inLaterPart(parts: RunParts, record: EventRecord): EventRecord {
    return record.type === 'thread.started' ? parts.introduced(record) : unmarked(record);
  }

  /** For live runs: writes what was held back for a possible continuation. */
  flush(): void {
    this.#encoder.flush?.();
  }

  end(outcome: RunOutcome): void {
    const claim = this.#last === undefined ? undefined : this.#parts?.unclaimedEnd(outcome, this.#last);
    if (claim !== undefined) this.#encoder.record(claim);
    this.#encoder.end(this.#parts?.last(outcome) ?? outcome);
    if (this.#variant.layout === 'array') this.#out.add(this.#count === 0 ? '[]\n' : ']\n');
    if (this.#variant.farewell !== undefined) this.#out.add(`data: ${this.#variant.farewell}\n\n`);
  }

  /** What has been written since the last call. */
  take(): string {
    return this.#out.take().join('');
  }

  /** The same in pieces, for callers that turn it into bytes. */
  takePieces(): readonly Piece[] {
    return this.#out.take();
  }

  get size(): number {
    return this.#out.size;
  }

  get notes(): Note[] {
    return [...this.losses].map(([what, count]) => ({ kind: 'lost', what, count }));
  }

  #line(wire: JsonObject): void {
    if (this.isRecords) return this.#recordLine(wire as unknown as EventRecord);
    const text = this.#text(wire);
    if (text === undefined) return;
    this.#count += 1;
    const { layout } = this.#variant;
    if (layout === 'array') this.#out.add(this.#count === 1 ? '[' : ',');
    if (layout === 'sse') this.#out.add('data: ');
    this.#out.add(text);
    if (layout !== 'array') this.#out.add(layout === 'sse' ? '\n\n' : '\n');
  }

  #recordLine(record: EventRecord): void {
    const line = recordLine(record);
    if (line === undefined) this.#sink.lose('unknown_line');
    else this.#out.add(line);
  }

  #text(wire: JsonObject): string | undefined {
    const text = unlessTooLarge(() => {
      const json = JSON.stringify(wire, undefined, this.#variant.layout === 'document' ? 2 : undefined);
      return this.#dialect.ascii === true ? escapeToAscii(json) : json;
    });
    if (text === undefined) this.#sink.lose('unknown_line');
    return text;
  }
}

/** Other dialects only know limits that ended a run: a limit that was reported too late becomes a warning there. */
function inTime(record: EventRecord): EventRecord {
  if (record.type !== 'limit.reached' || record.late !== true) return record;
  const { sequence, timestamp, thread_id, source, synthetic, message, limit } = record;
  const text = message ?? `the ${limit} limit was reached`;
  return { type: 'log', stream: 'agent', level: 'warning', text, sequence, timestamp, thread_id, source, synthetic };
}

/** Outgoing lines, in pieces: if joined, each would be copied twice more before it is encoded. */
class Outgoing {
  #pieces: Piece[] = [];
  size = 0;

  add(piece: Piece): void {
    this.size += piece.length;
    this.#pieces.push(piece);
  }

  take(): Piece[] {
    const pieces = this.#pieces;
    this.#pieces = [];
    this.size = 0;
    return pieces;
  }
}

/** JSON text → the same JSON in ASCII. Only string contents can hold other characters, so escaping is always legal. */
export function escapeToAscii(json: string): string {
  return json.replace(/[\u007f-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
