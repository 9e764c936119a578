import type { Dialect, EncoderSink, JsonObject, Loss, Variant } from '../dialects/dialect.ts';
import type { EventRecord } from '../events/event.ts';
import { recordJson } from '../events/record-json.ts';
import type { Note } from '../outcome/fold.ts';
import type { RunOutcome } from '../outcome/outcome.ts';

export type Writable = Dialect & Required<Pick<Dialect, 'encoder'>>;

/** A dialect that is known to have an encoder, and its default variant. */
export function writable(dialect: Dialect): [dialect: Writable, variant: Variant] {
  return [dialect as Writable, dialect.variants?.[0] ?? { name: 'lines', layout: 'lines' }];
}

/** Records in, the text of one dialect out; what it cannot say is counted. */
export class Writer {
  readonly losses = new Map<Loss, number>();
  readonly #dialect: Writable;
  readonly #variant: Variant;
  readonly #encoder;
  /** What it writes are the records themselves. */
  readonly #isRecords: boolean;
  readonly #out = new Outgoing();
  #count = 0;

  constructor(dialect: Writable, variant: Variant) {
    this.#dialect = dialect;
    this.#variant = variant;
    this.#isRecords = dialect.id === 'runwire';
    const sink: EncoderSink = {
      line: (wire) => this.#line(wire),
      lose: (what) => void this.losses.set(what, (this.losses.get(what) ?? 0) + 1),
    };
    this.#encoder = dialect.encoder(sink, variant.name);
  }

  record(record: EventRecord): void {
    this.#encoder.record(this.#isRecords ? record : inTime(record));
  }

  /** For live runs: what waits for what may follow it is written. */
  flush(): void {
    this.#encoder.flush?.();
  }

  end(outcome: RunOutcome): void {
    this.#encoder.end(outcome);
    if (this.#variant.layout === 'array') this.#out.add('', this.#count === 0 ? '[]' : ']', '\n');
  }

  /** What has been written since the last call. */
  take(): string {
    return this.#out.take().join('');
  }

  /** The same in pieces, for who turns it into bytes: a single character beyond Latin-1 makes that slow for the text it is in. */
  takePieces(): readonly string[] {
    return this.#out.take();
  }

  get size(): number {
    return this.#out.size;
  }

  get notes(): Note[] {
    return [...this.losses].map(([what, count]) => ({ kind: 'lost', what, count }));
  }

  #line(wire: JsonObject): void {
    const text = this.#text(wire);
    if (text === undefined) return;
    this.#count += 1;
    if (this.#variant.layout === 'array') this.#out.add(this.#count === 1 ? '[' : ',', text, '');
    else this.#out.add('', text, '\n');
  }

  #json(wire: JsonObject): string {
    if (this.#variant.layout === 'document') return JSON.stringify(wire, null, 2);
    return this.#isRecords ? recordJson(wire) : JSON.stringify(wire);
  }

  #text(wire: JsonObject): string | undefined {
    try {
      const json = this.#json(wire);
      return this.#dialect.ascii === true ? escapeToAscii(json) : json;
    } catch (error) {
      // JSON.parse reads any depth, JSON.stringify ends with the stack: one absurd line must not cost the run.
      if (!(error instanceof RangeError)) throw error;
      this.losses.set('unknown_line', (this.losses.get('unknown_line') ?? 0) + 1);
      return undefined;
    }
  }
}

/** Other dialects know only limits that ended a run: one that was told too late is a warning there. */
function inTime(record: EventRecord): EventRecord {
  if (record.type !== 'limit.reached' || record.late !== true) return record;
  const { sequence, timestamp, thread_id, source, synthetic, message, limit } = record;
  const text = message ?? `the ${limit} limit was reached`;
  return { type: 'log', stream: 'agent', level: 'warning', text, sequence, timestamp, thread_id, source, synthetic };
}

const beyondLatin1 = /[\u0100-\uffff]/;

/** Lines on their way out. Those with characters beyond Latin-1 stay by themselves: strings of one byte a character are encoded many times faster. */
class Outgoing {
  #pieces: string[] = [];
  #narrow = '';
  size = 0;

  add(before: string, text: string, after: string): void {
    this.size += before.length + text.length + after.length;
    // Of a string that has one byte a character this is known without looking at any.
    if (beyondLatin1.test(text)) {
      this.#closeNarrow();
      this.#pieces.push(before + text + after);
    } else this.#narrow += before + text + after;
  }

  take(): string[] {
    this.#closeNarrow();
    const pieces = this.#pieces;
    this.#pieces = [];
    this.size = 0;
    return pieces;
  }

  #closeNarrow(): void {
    if (this.#narrow !== '') this.#pieces.push(this.#narrow);
    this.#narrow = '';
  }
}

/** JSON text → the same JSON in ASCII. Only string contents can hold other characters, so escaping is always legal. */
export function escapeToAscii(json: string): string {
  return json.replace(/[\u007f-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
