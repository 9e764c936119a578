import { signal } from '@preact/signals';
import type { Tokens } from '../../src/outcome/tokens.ts';
import { UsageTotals } from '../../src/outcome/usage.ts';
import { Lineage } from '../../src/outcome/lineage.ts';
import { changeInWords } from '../../src/outcome/warnings.ts';
import { eventTypes } from './event-types.ts';
import { RecordPages } from './record-pages.ts';
import { RowFold } from './row-fold.ts';
import type { FileEdit, Row, SentRecord } from './row.ts';
import { grown, Rows } from './rows.ts';
import { TurnUsages } from './turn-usage.ts';

export interface UsagePoint {
  at: number;
  tokens: number;
  cost?: number | undefined;
}

/** The run stands still: until a limit resets, or until a person lets it go on. */
export interface Pause {
  reason: 'limit' | 'person';
  at: number | undefined;
  by: string | undefined;
  until: number | undefined;
}

export interface ChangedFile {
  path: string;
  operation: FileEdit['operation'];
  edits: FileEdit[];
}

const typeCode = new Map<string, number>(eventTypes.map((type, index) => [type, index]));
/** How many characters of a row's text are kept at once. */
const textKept = 400_000;
/** How many rows are kept with their text: those in view, and the newest. */
const rowsKept = 500;
const charactersKept = 4_000_000;
const troublesKept = 8;
const pointsKept = 1000;
const requestsKept = 10_000;
const piecesRead = 5000;
const changesKept = 20;
const branchesKept = 200;

const validTime = (at: number): number | undefined => (Number.isNaN(at) ? undefined : at);

/**
 * What the page knows about a run: records go in once and in order, rows come out. For every row it keeps the times and how
 * it ended; the text is kept only for rows near the view, and read again when others are viewed.
 */
export class RunModel {
  readonly rows = new Rows();
  readonly files = new Map<string, ChangedFile>();
  usage: UsagePoint[] = [];
  /** When models worked, as seen on the wire. */
  readonly requests: { from: number; to: number }[] = [];
  /** Changes whenever rows change, at most once per frame. */
  readonly version = signal(0);
  /** How many events there are; less than the last sequence where the tape has gaps. */
  events = 0;
  /** The sequence and the type of every event, in order: five bytes each, however far apart they are. */
  #sequences = new Uint32Array(1024);
  #types = new Uint8Array(1024);
  firstAt: number | undefined;
  lastAt: number | undefined;
  turns = 0;
  tools = 0;
  failedTools = 0;
  tokens: Tokens = {};
  readonly turnUsage = new TurnUsages();
  /** The branches of the work, as far as they were reported. */
  readonly lineage = new Lineage(branchesKept);
  /** Present while the run stands still. */
  pause: Pause | undefined;
  /** Limits that people changed while it went on, the first ones. */
  readonly changes: { at: number | undefined; words: string }[] = [];
  /** The first rows that report a problem, and how many do. */
  readonly troubles: Row[] = [];
  troubleCount = 0;
  /** The newest row, and the newest words of the agent itself. */
  last: Row | undefined;
  lastWords = '';
  readonly pages: RecordPages;
  readonly #fold: RowFold;
  readonly #totals = new UsageTotals();
  /** Rows that may still change. */
  readonly #open = new Map<number, Row>();
  readonly #kept = new Map<number, Row>();
  #keptCharacters = 0;
  /** Rows in view are not forgotten. */
  #view: readonly [from: number, to: number] = [0, 0];
  /** File edits, by the row of the call that made them. */
  readonly #edits = new Map<number, FileEdit[]>();
  readonly #loading = new Set<number>();
  readonly #failed = new Set<number>();
  #pointEvery = 1;
  #points = 0;
  #isScheduled = false;

  constructor(id: string) {
    this.pages = new RecordPages(id);
    this.#fold = new RowFold(
      {
        onRow: (row) => this.#changed(row),
        onRowEnd: (row) => this.#ended(row),
        onEdit: (edit) => this.#edited(edit),
      },
      textKept,
    );
  }

  get lastSeq(): number {
    return this.#fold.lastSeq;
  }

  /** Whether the run is waiting for a permission. */
  get isAsking(): boolean {
    return this.#fold.isAsking;
  }

  /** Ignores records that it has already seen. */
  feed(records: readonly SentRecord[]): void {
    for (const record of records) {
      if (record.sequence <= this.lastSeq) continue;
      this.#remember(record);
      this.#fold.feed(record);
    }
    this.#redraw();
  }

  #remember(record: SentRecord): void {
    const { sequence, type, timestamp } = record;
    if (type !== 'records.left_out') {
      if (this.events === this.#types.length) {
        this.#sequences = grown(this.#sequences, this.events * 2);
        this.#types = grown(this.#types, this.events * 2);
      }
      this.#sequences[this.events] = sequence;
      this.#types[this.events] = typeCode.get(type) ?? 255;
      this.events += 1;
    }
    const at = timestamp === null ? NaN : Date.parse(timestamp);
    if (!Number.isNaN(at)) {
      this.firstAt = Math.min(this.firstAt ?? at, at);
      this.lastAt = Math.max(this.lastAt ?? at, at);
    }
    switch (record.type) {
      case 'thread.started':
        if (record.resumed === true) this.#totals.resume({});
        return;
      case 'retry.scheduled':
        if (record.scope === 'run') this.#totals.nextAttempt(record.resumes === true);
        return;
      case 'branch.updated':
        this.lineage.updated(record);
        return;
      case 'run.paused':
        this.pause = { reason: record.reason, at: validTime(at), by: record.by, until: record.until_ms };
        return;
      case 'run.resumed':
        this.pause = undefined;
        return;
      case 'limit.changed':
        if (this.changes.length < changesKept) this.changes.push({ at: validTime(at), words: changeInWords(record) });
        return;
      case 'turn.started':
        this.turns += 1;
        // The row of this turn is the next one.
        this.turnUsage.begin(this.rows.length);
        return;
      case 'item.started':
        this.tools += 1;
        return;
      case 'model.responded':
        // What passed before the agent introduced itself comes after that on the tape: only its own time counts.
        if (!Number.isNaN(at) && this.requests.length < requestsKept)
          this.requests.push({ from: at - record.duration_ms, to: at });
        return;
      case 'usage.reported':
        this.#totals.report(record);
        this.tokens = this.#totals.total();
        this.turnUsage.report(this.tokens);
        if (this.lastAt !== undefined) this.#usagePoint(this.lastAt);
    }
  }

  /** Every point while there are few, then every second one, every fourth … */
  #usagePoint(at: number): void {
    const { input = 0, output = 0, cost } = this.tokens;
    const point = { at, tokens: input + output, cost };
    this.#points += 1;
    // The newest point is always kept.
    if (this.usage.length > 1 && this.#points % this.#pointEvery !== 0) this.usage[this.usage.length - 1] = point;
    else this.usage.push(point);
    if (this.usage.length <= pointsKept) return;
    this.usage = this.usage.filter((_, index) => index % 2 === 0 || index === this.usage.length - 1);
    this.#pointEvery *= 2;
  }

  #redraw(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    requestAnimationFrame(() => {
      this.#isScheduled = false;
      this.#forget();
      this.version.value += 1;
    });
  }

  /** The sequences of all events, or of those of one type. */
  sequencesOf(type: string): number[] {
    const code = typeCode.get(type);
    const found: number[] = [];
    for (let at = 0; at < this.events; at += 1)
      if (type === '' || this.#types[at] === code) found.push(this.#sequences[at] ?? 0);
    return found;
  }

  #changed(row: Row): void {
    if (row.index >= this.rows.length) this.last = row;
    if (row.isOpen) this.#open.set(row.index, row);
    this.rows.write(row);
  }

  #ended(row: Row): void {
    this.#open.delete(row.index);
    this.#keep(row);
    if (row.kind === 'text' && !row.isNested) this.lastWords = row.text;
    if (row.tone !== 'bad' || row.kind === 'end') return;
    if (row.kind === 'tool') this.failedTools += 1;
    this.troubleCount += 1;
    if (this.troubles.length < troublesKept)
      this.troubles.push({ ...row, text: row.text.slice(row.kind === 'tool' ? -1000 : 0).slice(0, 1000) });
  }

  #edited(edit: FileEdit): void {
    const { path, operation, call } = edit;
    const light: FileEdit = { ...edit, diff: undefined };
    const file = this.files.get(path);
    if (file === undefined) this.files.set(path, { path, operation, edits: [light] });
    else {
      file.edits.push(light);
      if (!(file.operation === 'created' && operation === 'modified')) file.operation = operation;
    }
    if (call !== undefined) this.#edits.set(call, [...(this.#edits.get(call) ?? []), light]);
  }

  #keep(row: Row): void {
    const before = this.#kept.get(row.index);
    if (before !== undefined) this.#drop(before);
    this.#kept.set(row.index, row);
    this.#keptCharacters += sizeOf(row);
  }

  #drop(row: Row): void {
    this.#kept.delete(row.index);
    this.#keptCharacters -= sizeOf(row);
  }

  /** Drops the text of the oldest rows first, but not of those in view. */
  #forget(): void {
    const [from, to] = this.#view;
    let left = this.#kept.size;
    for (const row of this.#kept.values()) {
      if (left <= rowsKept && this.#keptCharacters <= charactersKept) return;
      if (row.index >= from && row.index < to) continue;
      this.#drop(row);
      left -= 1;
    }
  }

  /** Sets which rows are in view. */
  look(from: number, to: number): void {
    this.#view = [from, to];
  }

  /** A row with its text; undefined: it is being loaded. */
  row(index: number): Row | undefined {
    const row = this.#open.get(index) ?? this.#kept.get(index);
    if (row === undefined && !this.#loading.has(index) && !this.#failed.has(index)) {
      this.#loading.add(index);
      void this.#load(index);
    }
    return row;
  }

  async #load(index: number): Promise<void> {
    try {
      const row = await this.#read(index);
      if (row === undefined) this.#failed.add(index);
      else this.#keep(row);
    } catch {
      // The server does not answer: the row is requested again a little later, if it is still viewed.
      this.#failed.add(index);
      setTimeout(() => {
        this.#failed.delete(index);
        this.#redraw();
      }, 3000);
    } finally {
      this.#loading.delete(index);
      this.#redraw();
    }
  }

  /** Rebuilds a row from the few records that belong to it. */
  async #read(index: number): Promise<Row | undefined> {
    const { rows } = this;
    const [seq, endSeq] = [rows.seq(index), rows.endSeq(index)];
    const [first, last] = await Promise.all([
      this.pages.record(seq),
      endSeq > seq ? this.pages.record(endSeq) : undefined,
    ]);
    if (first === undefined) return undefined;
    let found: Row | undefined;
    const fold = new RowFold({ onRow: (row) => void (found ??= row), onRowEnd: () => {}, onEdit: () => {} }, textKept);
    fold.feed(first);
    if (rows.isPieces(index) && 'item_id' in first) await this.#pieces(first.item_id, seq, endSeq, fold);
    if (last !== undefined) fold.feed(last);
    if (found === undefined) return undefined;
    for (const edit of (this.#edits.get(index) ?? []).slice(0, 20)) {
      const record = await this.pages.record(edit.seq);
      found.tool?.files.push({ ...edit, diff: record?.type === 'file.edited' ? record.diff : undefined });
    }
    return {
      ...found,
      index,
      isOpen: rows.isOpen(index),
      endAt: rows.endAt(index),
      endSeq,
      lastSeq: rows.lastSeq(index),
      tone: rows.tone(index),
    };
  }

  async #pieces(item: string | undefined, from: number, to: number, fold: RowFold): Promise<void> {
    let read = 0;
    await this.pages.each(from + 1, to - 1, (record) => {
      if (record.type === 'item.output' && record.item_id === item) fold.feed(record);
      read += 1;
      return read < piecesRead;
    });
  }
}

function sizeOf({ text, tool }: Row): number {
  return 200 + text.length + (tool === undefined ? 0 : 4 * tool.about.length + (tool.error?.length ?? 0));
}
