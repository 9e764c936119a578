import type { EventRecord } from '../events/event.ts';
import { Failure } from '../failure.ts';

/** How a tape ends; `cut` is what a kill, or a run that is still running, leaves. `rest` is the beginning of an unfinished line. */
export type TapeEnd = ({ kind: 'whole' } | { kind: 'cut' } | { kind: 'broken'; message: string }) & {
  rest?: Uint8Array;
};

/** The place that keeps a tape does not answer, or refuses access: it may be read later, or with another key. */
export class PlaceAway extends Failure {}

/** The records of one run, a line each, in order, wherever they are kept. */
export interface Tape {
  /** Its name in messages. */
  readonly name: string;
  /** Throws if it is known at once that nothing can be written. */
  write(options: TapeOptions): TapeWriter;
  /** Complete lines above this sequence. Throws if there is nothing to read. */
  read(after?: number): AsyncGenerator<Uint8Array, TapeEnd>;
  /** The same; at the end `more` decides whether to read again, since a running run still writes there. */
  follow(more: () => Promise<boolean>, after?: number): AsyncGenerator<Uint8Array, TapeEnd>;
  /** Its size in bytes; undefined: it is not there. */
  size(): Promise<number | undefined>;
  /** The SHA-256 of its bytes as stored; absent: this kind of tape has none. */
  digest?(): Promise<string>;
  remove(): Promise<void>;
}

export interface TapeOptions {
  /** A tape of this size ends there. */
  maxBytes?: number;
  /** How long its end waits if the tape has to be delivered elsewhere. Tests lower it. */
  patienceMs?: number;
  /** Called at most once, when the tape stops, with the reason. */
  onTrouble: (message: string) => void;
}

export interface TapeWriter {
  /** Never throws and never blocks. */
  record(record: EventRecord): void;
  /** Everything recorded so far survives a kill of this process when it returns; absent: it always does. Never throws. */
  keep?(): void;
  /** Resolves when all of it is stored, with the hash of its bytes if the writer knows it. */
  end(): Promise<string | undefined | void>;
}

/** The tapes of a ledger. A key is what the ledger stores about a tape. */
export interface Tapes {
  /** The name of the place in messages. */
  readonly name: string;
  /** The tape of one attempt at a run, from 1: the tape of a lost attempt may still be read. */
  create(id: string, startedAt: number, attempt?: number): { key: string; tape: Tape };
  /** The tape of a run on another machine, which arrives in pieces. */
  grow(id: string, startedAt: number): { key: string; open: () => Promise<GrowingTape> };
  /** Undefined: no tape of this place can have such a key. */
  at(key: string): Tape | undefined;
  /** Where a tape is that cannot be read here, as the end of a sentence that begins with the tape. */
  whereIs(key: string, host?: string): string;
  /** All tapes, oldest run first. */
  list(): AsyncIterable<TapeEntry>;
  /** Whether it is time to clean up: true for the first caller after `everyMs`. */
  isTidyingDue(now: number, everyMs: number): Promise<boolean>;
  /** Since when the clock has not jumped, as far as earlier clean-ups saw. */
  steadySince(): Promise<number>;
  /** Delivers tapes of this machine that nobody is writing any longer; returns those that are left after `patienceMs`. */
  deliver(now: number, patienceMs: number): Promise<UndeliveredTape[]>;
}

/** A plain tape that is written piece by piece, each identified by its last sequence. */
export interface GrowingTape {
  readonly lastSequence: number;
  readonly bytes: number;
  /** Complete lines of records, in order, all above the last sequence. */
  append(lines: string, last: number): Promise<void>;
  /** Nothing more comes. */
  end(): Promise<void>;
}

export interface UndeliveredTape {
  run: string;
  where: string;
  why: string;
}

export interface TapeEntry {
  key: string;
  bytes: number;
  /** When it was last written. */
  at: number;
  place: 'files' | 'postgres' | 'bucket';
}

const LF = 10;
/** No record is longer. A longer line is passed on in parts instead of being buffered to its end. */
const longestLine = 256 * 1024 * 1024;
/** A reader that starts at the beginning frames the lines itself, so only this much of one is buffered here. */
const longestHeld = 8 * 1024 * 1024;

/** Bytes as they come → complete lines above `after`. */
export async function* wholeLines(
  bytes: AsyncGenerator<Uint8Array, TapeEnd>,
  after = 0,
): AsyncGenerator<Uint8Array, TapeEnd> {
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  let isBehind = after > 0;
  try {
    for (;;) {
      const next = await bytes.next();
      if (next.done === true)
        return heldBytes === 0 || isBehind ? next.value : withRest(next.value, Buffer.concat(held));
      const chunk = next.value;
      const end = chunk.lastIndexOf(LF) + 1;
      if (end > 0 || heldBytes + chunk.length > (isBehind ? longestLine : longestHeld)) {
        const cut = end > 0 ? end : chunk.length;
        const lines = heldBytes === 0 ? chunk.subarray(0, cut) : Buffer.concat([...held, chunk.subarray(0, cut)]);
        const wanted = isBehind ? linesAbove(lines, after) : lines;
        isBehind &&= wanted.length === 0;
        held = [];
        heldBytes = 0;
        if (wanted.length > 0) yield wanted;
        if (cut === chunk.length) continue;
      }
      // A copy, because the source may reuse its buffer.
      held.push(new Uint8Array(chunk.subarray(end)));
      heldBytes += chunk.length - end;
    }
  } finally {
    await bytes.return({ kind: 'cut' });
  }
}

function withRest(end: TapeEnd, rest: Uint8Array): TapeEnd {
  return end.kind === 'broken' ? { ...end, rest } : { kind: 'cut', rest };
}

/** The lines from the first one above `after` on, since a tape counts upwards: usually the last line shows that there is none. */
function linesAbove(lines: Uint8Array, after: number): Uint8Array {
  const last = sequenceOf(lines.subarray(lines.lastIndexOf(LF, lines.length - 2) + 1));
  if (last > 0 && last <= after) return new Uint8Array();
  for (let start = 0; start < lines.length;) {
    const end = lines.indexOf(LF, start) + 1 || lines.length;
    if (sequenceOf(lines.subarray(start, end)) > after) return lines.subarray(start);
    start = end;
  }
  return new Uint8Array();
}

/** The sequence of a line; 0: it is not a record. */
export function sequenceOf(line: Uint8Array): number {
  return placeOf(line).sequence ?? 0;
}

/** Where a line belongs, and when it was written; empty: it is not a record. */
export function placeOf(line: Uint8Array): { sequence?: number; timestamp?: string } {
  try {
    const wire: unknown = JSON.parse(Buffer.from(line.buffer, line.byteOffset, line.length).toString());
    if (typeof wire !== 'object' || wire === null) return {};
    return {
      ...('sequence' in wire && typeof wire.sequence === 'number' ? { sequence: wire.sequence } : {}),
      ...('timestamp' in wire && typeof wire.timestamp === 'string' ? { timestamp: wire.timestamp } : {}),
    };
  } catch {
    return {};
  }
}

/** All bytes of a tape or any other stream, whose last line may lack its line break. */
export async function* streamOf(tape: Tape): AsyncGenerator<Uint8Array> {
  const lines = tape.read();
  try {
    for (;;) {
      const next = await lines.next();
      if (next.done !== true) yield next.value;
      else {
        if (next.value.rest !== undefined) yield next.value.rest;
        if (next.value.kind === 'broken') throw new Failure('input', next.value.message);
        return;
      }
    }
  } finally {
    await lines.return({ kind: 'cut' });
  }
}
