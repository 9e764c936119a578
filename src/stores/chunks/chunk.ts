import { promisify } from 'node:util';
import { isWholeId } from '../run-id.ts';
import { tapeParams, zlib } from '../zlib.ts';

/** Which tape: of a run, and of which attempt at it. */
export interface TapeId {
  run: string;
  attempt: number;
}

/** Some records of a tape, in order, as they are kept. */
export interface Chunk {
  /** The first sequence in it, and the last. */
  from: number;
  to: number;
  /** Of its bytes as they are kept. */
  sha256: string;
  bytes: number;
  /** Nothing follows it; it has no records itself. */
  ends: boolean;
  /** Absent: they are in the bucket, under their hash. */
  body?: Uint8Array;
}

export interface ChunkedTape extends TapeId {
  bytes: number;
  /** How long nothing was added, by the database's own clock. */
  ageMs: number;
  /** Where its objects are; empty: in the database. */
  place: string;
}

/** The index of all tapes that are kept in chunks, and the chunks themselves where there is no bucket. */
export interface Chunks {
  /** Added beside what is there; adding the same again changes nothing. Listeners get a hint. */
  add(tape: TapeId, place: string, chunk: Chunk): Promise<void>;
  /** The object of a chunk is stored: bodies that it holds are not needed here any more. */
  stored(tape: TapeId, place: string, chunk: Chunk): Promise<void>;
  /** Those with records above a sequence, in order of their last; no more than `limit`. */
  after(tape: TapeId, sequence: number, limit: number): Promise<Chunk[]>;
  /** The last sequence that is kept, here or, with `inBucket`, there; 0: none. */
  last(tape: TapeId, inBucket: boolean): Promise<number>;
  /** Undefined: nothing of it is kept. */
  size(tape: TapeId): Promise<number | undefined>;
  /** The names of its objects. */
  hashes(tape: TapeId): Promise<string[]>;
  remove(tape: TapeId): Promise<void>;
  /** All, the oldest run first. */
  list(): AsyncIterable<ChunkedTape>;
  /** Hints that a tape has grown. They may get lost: what is kept is the truth. */
  watch(tape: TapeId, onNews: () => void): Watch;
  close(): Promise<void>;
}

export interface Watch {
  /** Whether hints were seen to arrive: then it is enough to look for oneself now and then. */
  isTrusted(): boolean;
  close(): void;
}

/** Up to here compression gains nothing. */
const shortLines = 256;

/** Lines as a chunk: compressed where that makes them fewer bytes. */
export async function pack(lines: Uint8Array, from: number, to: number): Promise<Chunk & { body: Uint8Array }> {
  const packed = lines.length < shortLines ? lines : await promisify(zlib().zstdCompress)(lines, { params: tapeParams() });
  const body = packed.length < lines.length ? packed : lines;
  return { from, to, sha256: hashOf(body), bytes: body.length, ends: false, body };
}

/** The mark of a tape that is whole: nothing comes after this sequence. */
export function endAfter(last: number): Chunk & { body: Uint8Array } {
  const body = new Uint8Array();
  return { from: last + 1, to: last + 1, sha256: hashOf(body), bytes: 0, ends: true, body };
}

export function hashOf(bytes: Uint8Array): string {
  // Node.js takes long to load what makes it, and most runs keep their tapes in files.
  return process.getBuiltinModule('node:crypto').createHash('sha256').update(bytes).digest('hex');
}

/** What the ledger remembers of a tape: where it is, without any key. */
export function addressOf(place: string, { run, attempt }: TapeId): string {
  return place === '' ? `postgres:${run}/${attempt}` : `${place}/${run}/${attempt}`;
}

/** Undefined: nothing that is kept in chunks has such an address. */
export function readAddress(address: string): { place: string; tape: TapeId } | undefined {
  const [, place, run = '', attempt] = /^(postgres:|s3:\/\/.+\/)([0-9a-z]{26})\/(\d{1,9})$/.exec(address) ?? [];
  if (place === undefined || !isWholeId(run)) return undefined;
  return { place: place === 'postgres:' ? '' : place.slice(0, -1), tape: { run, attempt: Number(attempt) } };
}
