import { callKinds, column, takeMost, width } from './calls.ts';
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

/** A resumed, forked or copied session repeats what an older file holds: a call is the same one in whichever file it stands, and belongs to the oldest. */
export function merge(counted: readonly Counted[]): AllCalls {
  // By identity: the number of the file and, in it, of the call.
  const owners = new Map<number, number>();
  const all = new Uint8Array(counted.reduce((sum, { usage }) => sum + usage.rows.length / width, 0)).fill(1);
  let begin = 0;
  let repeated = 0;
  const files = counted.map(({ file: about, usage }, file): Merged => {
    const { rows } = usage;
    const counts = all.subarray(begin, (begin += rows.length / width));
    let repeats: Set<number> | undefined;
    leaveAnswers(rows, counts);
    for (let start = 0, number = 0; start < rows.length; start += width, number += 1) {
      const identity = rows[start + column.identity] ?? Number.NaN;
      if (Number.isNaN(identity) || counts[number] === 0) continue;
      const owner = owners.get(identity);
      if (owner === undefined) {
        owners.set(identity, file * mostCalls + number);
        continue;
      }
      counts[number] = 0;
      const ownerFile = Math.floor(owner / mostCalls);
      const first = counted[ownerFile]?.usage.rows;
      if (first !== undefined) takeMost(first, (owner % mostCalls) * width, rows, start);
      if (ownerFile !== file) (repeats ??= new Set()).add(identity);
    }
    repeated += repeats?.size ?? 0;
    return { file: about, usage, counts, repeated: repeats?.size ?? 0 };
  });
  settle(files);
  return { files, repeated };
}

/** In one file; as many rows have no place in memory. */
const mostCalls = 2 ** 32;

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

export const kindOf = (rows: Float64Array, start: number): (typeof callKinds)[number] =>
  callKinds[rows[start + column.kind] ?? 0] ?? 'call';
