import { lossOf } from '../dialects/kit/losses.ts';
import type { Dialect, Encoder, Loss, Variant } from '../dialects/dialect.ts';
import { WireText } from '../dialects/kit/wire-text.ts';
import type { EventRecord } from '../events/event.ts';
import type { Piece } from '../events/record-json.ts';
import type { Note } from '../outcome/fold.ts';
import type { RunOutcome } from '../outcome/outcome.ts';
import { unmarked } from './id-marks.ts';
import { RunParts } from './run-parts.ts';

export type Writable = Dialect & Required<Pick<Dialect, 'encoder'>>;

/** A dialect that is known to have an encoder, and its default variant. */
export function writable(dialect: Dialect): [dialect: Writable, variant: Variant] {
  return [dialect as Writable, dialect.variants?.[0] ?? { name: 'lines', layout: 'lines' }];
}

/** Records in, the text of one dialect out; what the dialect cannot express is counted. */
export class Writer {
  readonly losses: Map<Loss, number>;
  readonly #dialect: Writable;
  readonly #variant: Variant;
  readonly #text: WireText;
  #encoder: Encoder;
  /** It writes the records themselves. */
  readonly isRecords: boolean;
  /** Unset: the output is one run, whatever was read. */
  readonly #parts: RunParts | undefined;
  #last: EventRecord | undefined;

  constructor(dialect: Writable, variant: Variant) {
    this.#dialect = dialect;
    this.#variant = variant;
    this.#text = new WireText(dialect, variant);
    this.isRecords = this.#text.isRecords;
    this.losses = this.#text.losses;
    this.#encoder = dialect.encoder(this.#text, variant.name);
    const { joins } = dialect;
    if (joins !== 'all' && variant.layout !== 'document' && variant.isOneObject !== true)
      this.#parts = new RunParts({ tellsTurns: joins === 'turns', countsSessions: dialect.countsSessions === true });
  }

  record(record: EventRecord): void {
    // No other format has a place for them, and some end a line when anything follows.
    if (!this.isRecords && isSeenBeside(record)) return this.#text.lose(lossOf[record.type]);
    this.#last = record;
    const over = this.#parts?.see(record);
    if (over !== undefined) {
      if (over.claim !== undefined) this.#encoder.record(over.claim);
      this.#encoder.end(over.outcome);
      this.#encoder = this.#dialect.encoder(this.#text, this.#variant.name);
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
    this.#text.end();
  }

  /** What has been written since the last call. */
  take(): string {
    return this.#text.take().join('');
  }

  /** The same in pieces, for callers that turn it into bytes. */
  takePieces(): readonly Piece[] {
    return this.#text.take();
  }

  get size(): number {
    return this.#text.size;
  }

  get notes(): Note[] {
    return [...this.losses].map(([what, count]) => ({ kind: 'lost', what, count }));
  }
}

/** Other dialects only know limits that ended a run: a limit that was reported too late becomes a warning there. */
function inTime(record: EventRecord): EventRecord {
  if (record.type !== 'limit.reached' || record.late !== true) return record;
  const { sequence, timestamp, thread_id, source, synthetic, message, limit } = record;
  const text = message ?? `the ${limit} limit was reached`;
  return { type: 'log', stream: 'agent', level: 'warning', text, sequence, timestamp, thread_id, source, synthetic };
}

const seenBeside = ['model.requested', 'model.responded', 'wire.recorded', 'network.refused'] as const;

function isSeenBeside(record: EventRecord): record is EventRecord & { type: (typeof seenBeside)[number] } {
  return seenBeside.some((type) => type === record.type);
}
