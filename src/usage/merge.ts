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
  const calls = counted.reduce((sum, { usage }) => sum + usage.rows.length / width, 0);
  const owners = new Owners(calls);
  const all = new Uint8Array(calls).fill(1);
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
      const owner = owners.find(identity, file, number);
      if (owner === undefined) continue;
      counts[number] = 0;
      const first = counted[owner.file]?.usage.rows;
      if (first !== undefined) takeMost(first, owner.call * width, rows, start);
      if (owner.file !== file) (repeats ??= new Set()).add(identity);
    }
    repeated += repeats?.size ?? 0;
    return { file: about, usage, counts, repeated: repeats?.size ?? 0 };
  });
  settle(files);
  return { files, repeated };
}

/** By identity: the number of the file that has a call and, in it, of the call. A table of numbers, as objects for a million calls would be hundreds of megabytes. */
class Owners {
  readonly #identities: Float64Array;
  readonly #files: Int32Array;
  readonly #calls: Int32Array;
  readonly #mask: number;

  constructor(calls: number) {
    const places = 2 ** Math.ceil(Math.log2(Math.max(2, calls * 1.5)));
    this.#identities = new Float64Array(places).fill(Number.NaN);
    this.#files = new Int32Array(places);
    this.#calls = new Int32Array(places);
    this.#mask = places - 1;
  }

  /** Who has this call already; undefined: nobody, so this one has it from now on. */
  find(identity: number, file: number, call: number): { file: number; call: number } | undefined {
    // An identity is a hash: any of its bits are as good as others.
    for (let place = identity & this.#mask; ; place = (place + 1) & this.#mask) {
      const known = this.#identities[place];
      if (known === identity) return { file: this.#files[place] ?? 0, call: this.#calls[place] ?? 0 };
      if (known !== known) {
        this.#identities[place] = identity;
        this.#files[place] = file;
        this.#calls[place] = call;
        return undefined;
      }
    }
  }
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

export const kindOf = (rows: Float64Array, start: number): (typeof callKinds)[number] =>
  callKinds[rows[start + column.kind] ?? 0] ?? 'call';
