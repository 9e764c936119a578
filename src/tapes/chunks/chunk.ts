import { promisify } from 'node:util';
import { isWholeId } from '../../ids/run-id.ts';
import { tapeParams, zlib } from '../zlib.ts';

/** Which tape: the run, and the attempt at it. */
export interface TapeId {
  run: string;
  attempt: number;
}

/** Some records of a tape, in order, as stored. */
export interface Chunk {
  /** The first sequence in it, and the last. */
  from: number;
  to: number;
  /** The hash of its bytes as stored. */
  sha256: string;
  bytes: number;
  /** The end mark: nothing follows it, and it has no records itself. */
  ends: boolean;
  /** Absent: the bytes are in the bucket, under their hash. */
  body?: Uint8Array;
}

export interface ChunkedTape extends TapeId {
  bytes: number;
  /** The time since the last addition, by the database's clock. */
  ageMs: number;
  /** Where its objects are; empty: in the database. */
  place: string;
}

/** The index of all tapes that are kept in chunks, and the chunks themselves where there is no bucket. */
export interface Chunks {
  /** Adds a chunk to those already there; adding the same again changes nothing. Listeners get a hint. */
  add(tape: TapeId, place: string, chunk: Chunk): Promise<void>;
  /** Records that the object of a chunk is stored: the bodies it covers are no longer needed here. */
  stored(tape: TapeId, place: string, chunk: Chunk): Promise<void>;
  /** Chunks with records above a sequence, in order of their last; at most `limit`. */
  after(tape: TapeId, sequence: number, limit: number): Promise<Chunk[]>;
  /** The last stored sequence, here or, with `inBucket`, in the bucket; 0: none. */
  last(tape: TapeId, inBucket: boolean): Promise<number>;
  /** Undefined: nothing of it is stored. */
  size(tape: TapeId): Promise<number | undefined>;
  /** The names of its objects. */
  hashes(tape: TapeId): Promise<string[]>;
  remove(tape: TapeId): Promise<void>;
  /** All tapes, oldest run first. */
  list(): AsyncIterable<ChunkedTape>;
  /** Hints that a tape has grown. They may get lost: only what is stored counts. */
  watch(tape: TapeId, onNews: () => void): Watch;
  close(): Promise<void>;
}

export interface Watch {
  /** Whether hints were seen to arrive: then it is enough to poll now and then. */
  isTrusted(): boolean;
  close(): void;
}

/** Up to this length compression gains nothing. */
const shortLines = 256;

/** Lines as a chunk, compressed if that makes them smaller. */
export async function pack(lines: Uint8Array, from: number, to: number): Promise<Chunk & { body: Uint8Array }> {
  const packed =
    lines.length < shortLines ? lines : await promisify(zlib().zstdCompress)(lines, { params: tapeParams() });
  const body = packed.length < lines.length ? packed : lines;
  return { from, to, sha256: hashOf(body), bytes: body.length, ends: false, body };
}

/** The end mark of a complete tape: nothing comes after this sequence. */
export function endAfter(last: number): Chunk & { body: Uint8Array } {
  const body = new Uint8Array();
  return { from: last + 1, to: last + 1, sha256: hashOf(body), bytes: 0, ends: true, body };
}

export function hashOf(bytes: Uint8Array): string {
  // Loaded late: Node.js takes long to load the crypto module, and most runs keep their tapes in files.
  return process.getBuiltinModule('node:crypto').createHash('sha256').update(bytes).digest('hex');
}

/** What the ledger stores about a tape: where it is, without any key. */
export function addressOf(place: string, { run, attempt }: TapeId): string {
  return place === '' ? `postgres:${run}/${attempt}` : `${place}/${run}/${attempt}`;
}

/** Undefined: it is not the address of a tape in chunks. */
export function readAddress(address: string): { place: string; tape: TapeId } | undefined {
  const [, place, run = '', attempt] = /^(postgres:|s3:\/\/.+\/)([0-9a-z]{26})\/(\d{1,9})$/.exec(address) ?? [];
  if (place === undefined || !isWholeId(run)) return undefined;
  return { place: place === 'postgres:' ? '' : place.slice(0, -1), tape: { run, attempt: Number(attempt) } };
}
