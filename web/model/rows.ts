import { type Row, type RowKind, rowKinds, tones } from './row.ts';

const flag = { nested: 1, open: 2, command: 4, pause: 8, pieces: 16 };
const mostNames = 1000;
const longestName = 100;

export function grown<Column extends Uint8Array | Uint16Array | Uint32Array | Float64Array>(
  column: Column,
  length: number,
): Column {
  const more = new (column.constructor as new (length: number) => Column)(length);
  more.set(column);
  return more;
}

/** What is kept of every row: some forty bytes each. The text is fetched when a row is viewed. */
export class Rows {
  length = 0;
  #kinds = new Uint8Array(256);
  #tones = new Uint8Array(256);
  #flags = new Uint8Array(256);
  #names = new Uint32Array(256);
  #seqs = new Uint32Array(256);
  #ends = new Uint32Array(256);
  #lasts = new Uint32Array(256);
  #ats = new Float64Array(256);
  #endAts = new Float64Array(256);
  /** The names of tools and of frequent events, each stored once; their number is limited. */
  readonly #known: string[] = [''];
  readonly #numbers = new Map<string, number>();

  /** Stores a new or changed row. */
  write(row: Row): void {
    const { index } = row;
    if (index >= this.#kinds.length) this.#grow(this.#kinds.length * 2);
    this.length = Math.max(this.length, index + 1);
    this.#kinds[index] = rowKinds.indexOf(row.kind);
    this.#tones[index] = tones.indexOf(row.tone);
    this.#flags[index] =
      (row.isNested ? flag.nested : 0) |
      (row.isOpen ? flag.open : 0) |
      (row.tool?.kind === 'command' ? flag.command : 0) |
      (row.isPause ? flag.pause : 0) |
      (row.isPieces ? flag.pieces : 0);
    this.#names[index] = row.turn ?? this.#numberOf(row.label);
    this.#seqs[index] = row.seq;
    this.#ends[index] = row.endSeq;
    this.#lasts[index] = row.lastSeq;
    this.#ats[index] = row.at ?? NaN;
    this.#endAts[index] = row.endAt ?? NaN;
  }

  #grow(length: number): void {
    this.#kinds = grown(this.#kinds, length);
    this.#tones = grown(this.#tones, length);
    this.#flags = grown(this.#flags, length);
    this.#names = grown(this.#names, length);
    this.#seqs = grown(this.#seqs, length);
    this.#ends = grown(this.#ends, length);
    this.#lasts = grown(this.#lasts, length);
    this.#ats = grown(this.#ats, length);
    this.#endAts = grown(this.#endAts, length);
  }

  #numberOf(label: string): number {
    if (label === '' || label.length > longestName) return 0;
    const known = this.#numbers.get(label);
    if (known !== undefined || this.#known.length > mostNames) return known ?? 0;
    // A slice of a longer string would keep all of it in memory.
    const own = [...label].join('');
    this.#numbers.set(own, this.#known.length);
    return this.#known.push(own) - 1;
  }

  kind(index: number): RowKind {
    return rowKinds[this.#kinds[index] ?? 0] ?? 'log';
  }
  tone(index: number): Row['tone'] {
    return tones[this.#tones[index] ?? 0] ?? 'info';
  }
  seq(index: number): number {
    return this.#seqs[index] ?? 0;
  }
  endSeq(index: number): number {
    return this.#ends[index] ?? 0;
  }
  lastSeq(index: number): number {
    return this.#lasts[index] ?? 0;
  }
  at(index: number): number | undefined {
    const at = this.#ats[index] ?? NaN;
    return Number.isNaN(at) ? undefined : at;
  }
  endAt(index: number): number | undefined {
    const at = this.#endAts[index] ?? NaN;
    return Number.isNaN(at) ? undefined : at;
  }
  isNested(index: number): boolean {
    return ((this.#flags[index] ?? 0) & flag.nested) !== 0;
  }
  isOpen(index: number): boolean {
    return ((this.#flags[index] ?? 0) & flag.open) !== 0;
  }
  isCommand(index: number): boolean {
    return ((this.#flags[index] ?? 0) & flag.command) !== 0;
  }
  isPause(index: number): boolean {
    return ((this.#flags[index] ?? 0) & flag.pause) !== 0;
  }
  isPieces(index: number): boolean {
    return ((this.#flags[index] ?? 0) & flag.pieces) !== 0;
  }
  /** Empty if it is too long, or if there are too many others. */
  label(index: number): string {
    const number = this.#names[index] ?? 0;
    return this.kind(index) === 'turn' ? `Turn ${number}` : (this.#known[number] ?? '');
  }
  /** Whether both are calls to the same tool. */
  isSameTool(a: number, b: number): boolean {
    return (
      this.kind(a) === 'tool' &&
      this.kind(b) === 'tool' &&
      this.#names[a] === this.#names[b] &&
      this.#names[a] !== 0 &&
      this.isNested(a) === this.isNested(b)
    );
  }

  /** The row that an event belongs to; −1: none yet. */
  rowOf(sequence: number): number {
    let low = 0;
    let high = this.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.seq(middle) <= sequence) low = middle;
      else high = middle - 1;
    }
    if (this.length === 0 || this.seq(low) > sequence) return -1;
    if (this.seq(low) === sequence) return low;
    // Of overlapping calls, the one that ended with this very event, else the nearest that was still running.
    let around = low;
    for (let index = low; index >= 0; index -= 1) {
      if (this.endSeq(index) === sequence || this.lastSeq(index) === sequence) return index;
      if (this.lastSeq(around) < sequence && this.lastSeq(index) > sequence) around = index;
    }
    return around;
  }
}
