import { callKinds, column, width } from './calls.ts';
import type { Counted } from './gather.ts';
import { settle } from './totals.ts';

/** The calls of one file that count, and those that another file has. */
export interface Merged extends Counted {
  /** By the number of the call: whether it counts here. */
  counts: Uint8Array;
  /** How many calls older files have. */
  repeated: number;
}

export interface AllCalls {
  files: readonly Merged[];
  /** Calls that stand in more than one file, and were left out of all but the oldest. */
  repeated: number;
}

const summed = [
  column.input,
  column.output,
  column.reasoning,
  column.cacheRead,
  column.cacheWrite,
  column.cacheWriteHour,
  column.webSearches,
  column.cost,
] as const;

/** A resumed, forked or copied session repeats what an older file holds: a call is the same one in whichever file it stands, and belongs to the oldest. */
export function merge(counted: readonly Counted[]): AllCalls {
  const owners = new Map<number, { file: number; start: number }>();
  let repeated = 0;
  const files = counted.map((each, file): Merged => {
    const { rows } = each.usage;
    const counts = new Uint8Array(rows.length / width).fill(1);
    const repeats = new Set<number>();
    leaveAnswers(rows, counts);
    for (let start = 0, number = 0; start < rows.length; start += width, number += 1) {
      const identity = rows[start + column.identity] ?? Number.NaN;
      if (Number.isNaN(identity) || counts[number] === 0) continue;
      const owner = owners.get(identity);
      if (owner === undefined) {
        owners.set(identity, { file, start });
        continue;
      }
      counts[number] = 0;
      const first = counted[owner.file]?.usage.rows;
      if (first !== undefined) takeMost(first, owner.start, rows, start);
      if (owner.file !== file) repeats.add(identity);
    }
    repeated += repeats.size;
    return { ...each, counts, repeated: repeats.size };
  });
  settle(files);
  return { files, repeated };
}

/** Where a file lists its calls, its answers tell nothing more. */
function leaveAnswers(rows: Float64Array, counts: Uint8Array): void {
  const answers: number[] = [];
  let hasCalls = false;
  for (let number = 0; number < counts.length; number += 1) {
    const kind = kindOf(rows, number * width);
    if (kind === 'answer') answers.push(number);
    else hasCalls ||= kind === 'call';
  }
  if (hasCalls) for (const number of answers) counts[number] = 0;
}

/** While an answer is streamed, each of its lines has the counts so far. */
function takeMost(into: Float64Array, at: number, from: Float64Array, start: number): void {
  for (const field of summed) {
    const more = from[start + field] ?? Number.NaN;
    if (!(more <= (into[at + field] ?? Number.NaN)) && !Number.isNaN(more)) into[at + field] = more;
  }
}

export const kindOf = (rows: Float64Array, start: number): (typeof callKinds)[number] =>
  callKinds[rows[start + column.kind] ?? 0] ?? 'call';
