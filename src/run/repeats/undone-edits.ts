import { digestOf } from './digest.ts';
import type { EditEffect } from './edit-effect.ts';

/** What an edit takes out of a file and puts in, as fingerprints. */
export interface Edit {
  place: string | undefined;
  before: string | undefined;
  after: string | undefined;
}

export function editOf({ place, before, after }: EditEffect): Edit {
  return {
    place: digestOf(place),
    before: before === undefined ? undefined : digestOf(before),
    after: digestOf(after),
  };
}

interface Last extends Edit {
  /** What the edit before it put there. */
  earlier: string | undefined;
  /** How many edits in a row took each other back. */
  count: number;
}

/** How many files are remembered: those edited last. */
const mostFiles = 64;

/** Counts edits of a file that take each other back, whatever else happens in between. */
export class UndoneEdits {
  readonly #files = new Map<string, Last>();

  /** Returns how many edits in a row have taken each other back, this one included. */
  edited(edit: Edit): number {
    const key = edit.place ?? '';
    const last = this.#files.get(key);
    const count = last === undefined ? 1 : countAfter(last, edit);
    this.#files.delete(key);
    this.#files.set(key, { ...edit, earlier: last?.after, count });
    const [oldest] = this.#files.keys();
    if (this.#files.size > mostFiles && oldest !== undefined) this.#files.delete(oldest);
    return count;
  }
}

function countAfter(last: Last, { before, after }: Edit): number {
  if (after === undefined || after === last.after) return 1;
  // A file that is written as a whole: the first write of the row is known only now, when what it wrote is back.
  if (before === undefined) return after === last.earlier ? Math.max(last.count, 2) + 1 : 1;
  return before === last.after && after === last.before ? last.count + 1 : 1;
}
