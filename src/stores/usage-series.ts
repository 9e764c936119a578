import { parseJson } from '../json/parse.ts';
import { list } from '../json/read.ts';
import type { RunOutcome } from '../outcome/outcome.ts';
import { hashOf } from '../tapes/chunks/chunk.ts';

/** What a run used in one time after the other. */
export type UsagePart = NonNullable<RunOutcome['usage_over_time']>[number];

const fields = [
  'input_tokens',
  'output_tokens',
  'reasoning_tokens',
  'cache_read_tokens',
  'cache_write_tokens',
  'cost',
] as const;
const version = 1;
const quarterMs = 900_000;
/** A number is kept as a whole number of these; one that is none is kept as it is. */
const micros = 1e6;
/** In place of a number: there is none; it follows in eight bytes. Others are kept two higher. */
const absent = 0;
const verbatim = 1;

/**
 * The parts in a few bytes each, without loss: numbers of any size in as many bytes as they need, times as the quarters of an hour since the time
 * before. A part of all six figures takes some 14 bytes, where a row of a table takes 50 and JSON 150.
 */
export function packSeries(parts: readonly UsagePart[]): Uint8Array {
  const inQuarters = parts.every(({ at }) => at % quarterMs === 0);
  const unit = inQuarters ? quarterMs : 1;
  const used = fields.filter((name) => parts.some((part) => part[name] !== undefined));
  const bytes = new Writer();
  bytes.byte(version);
  bytes.byte(inQuarters ? 1 : 0);
  bytes.byte(fields.reduce((mask, name, bit) => mask | (used.includes(name) ? 1 << bit : 0), 0));
  let last = 0;
  for (const part of parts) {
    const gap = (part.at - last) / unit;
    last = part.at;
    bytes.whole(gap < 0 ? -gap * 2 - 1 : gap * 2);
    for (const name of used) bytes.figure(part[name], name === 'cost' ? micros : 1);
  }
  return bytes.finish();
}

/** An earlier version kept an array of JSON for each part. */
export function unpackSeries(packed: Uint8Array): UsagePart[] {
  if (packed[0] === 0x5b) return partsOfJson(Buffer.from(packed).toString());
  const bytes = new Reader(packed);
  bytes.byte();
  const unit = bytes.byte() === 1 ? quarterMs : 1;
  const mask = bytes.byte();
  const used = fields.filter((_, bit) => (mask & (1 << bit)) !== 0);
  const parts: UsagePart[] = [];
  let at = 0;
  while (!bytes.isAtEnd) {
    const gap = bytes.whole();
    at += (gap % 2 === 1 ? -(gap + 1) / 2 : gap / 2) * unit;
    const part: UsagePart = { at };
    for (const name of used) {
      const value = bytes.figure(name === 'cost' ? micros : 1);
      if (value !== undefined) part[name] = value;
    }
    parts.push(part);
  }
  return parts;
}

/** Stands in an outcome for its parts, which are kept beside it, so that whoever seals the one seals the others. */
export function seriesMark(packed: Uint8Array): string {
  return hashOf(packed).slice(0, 16);
}

/** What an earlier version kept of a part, in this order. */
const keptInJson = ['input_tokens', 'output_tokens', 'cache_read_tokens', 'cost'] as const;

/** Whether these are the parts of an outcome that was written by that version. */
export function isInJson(packed: Uint8Array, parts: readonly UsagePart[]): boolean {
  const facts = (all: readonly UsagePart[]): string =>
    JSON.stringify(
      all
        .map((part) => [part.at, ...keptInJson.map((name) => part[name] ?? null)])
        .toSorted(([a], [b]) => (a ?? 0) - (b ?? 0)),
    );
  return facts(unpackSeries(packed)) === facts(parts);
}

function partsOfJson(text: string): UsagePart[] {
  return list(parseJson(text)).map((row) => {
    const [at, ...values] = list(row);
    const part: UsagePart = { at: Number(at) };
    for (const [index, name] of keptInJson.entries()) {
      const value = values[index];
      if (typeof value === 'number') part[name] = value;
    }
    return part;
  });
}

class Writer {
  #bytes = Buffer.alloc(256);
  #length = 0;

  byte(value: number): void {
    if (this.#length === this.#bytes.length) this.#bytes = Buffer.concat([this.#bytes, Buffer.alloc(this.#length)]);
    this.#bytes[this.#length] = value;
    this.#length += 1;
  }

  /** Seven bits a byte, the lowest first. */
  whole(value: number): void {
    let left = value;
    for (; left >= 0x80; left = Math.floor(left / 0x80)) this.byte((left % 0x80) | 0x80);
    this.byte(left);
  }

  figure(value: number | undefined, scale: number): void {
    if (value === undefined) return this.whole(absent);
    const scaled = Math.round(value * scale);
    if (scaled >= 0 && scaled < 2 ** 52 && scaled / scale === value && !Object.is(value, -0))
      return this.whole(scaled + 2);
    this.whole(verbatim);
    const eight = Buffer.alloc(8);
    eight.writeDoubleLE(value);
    for (const byte of eight) this.byte(byte);
  }

  finish(): Uint8Array {
    return new Uint8Array(this.#bytes.subarray(0, this.#length));
  }
}

class Reader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  byte(): number {
    const byte = this.#bytes[this.#at] ?? 0;
    this.#at += 1;
    return byte;
  }

  whole(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 0x80) {
      const byte = this.byte();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
  }

  figure(scale: number): number | undefined {
    const value = this.whole();
    if (value === absent) return undefined;
    if (value !== verbatim) return (value - 2) / scale;
    const at = this.#at;
    this.#at += 8;
    return at + 8 <= this.#bytes.length ? this.#bytes.readDoubleLE(at) : undefined;
  }
}
