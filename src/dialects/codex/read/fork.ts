import type { Json, JsonObject } from '../../../json/json.ts';
import { filled, integer, string } from '../../../json/read.ts';

/** How long it takes to copy the parent's lines into the file of a fork, in ms; a model answers later than that. */
const copyingMs = 1000;

/** A fork begins with a copy of its parent's lines, and its totals go on from those of its parent, which counts them itself. */
export class Fork {
  #id: string | undefined;
  #isFork = false;
  #startedAt: number | undefined;
  /** Whose turn it is, if its id tells when it began. */
  #turn: 'own' | 'copied' | undefined;

  /** `state`: that of the same file, when less of it was read. */
  constructor({ id, isFork, startedAt, turn }: JsonObject = {}) {
    this.#id = string(id);
    this.#isFork = isFork === true;
    this.#startedAt = integer(startedAt);
    this.#turn = turn === 'own' || turn === 'copied' ? turn : undefined;
  }

  get state(): Json {
    return {
      id: this.#id ?? null,
      isFork: this.#isFork,
      startedAt: this.#startedAt ?? null,
      turn: this.#turn ?? null,
    };
  }

  /** A `session_meta` line: its own, or one that was copied. */
  introduce(meta: JsonObject, at: number | undefined): void {
    const id = filled(meta.id) ?? filled(meta.session_id);
    if (this.#startedAt === undefined) {
      this.#id = id;
      this.#startedAt = at;
      this.#isFork = (filled(meta.forked_from_id) ?? filled(meta.parent_thread_id)) !== undefined;
    } else if (id !== this.#id) this.#isFork = true;
  }

  /** A line that names its turn. A long copy may take its time, and a model may answer at once: the ids of both tell them apart. */
  turn(id: string | undefined): void {
    if (!this.#isFork || this.#turn === 'own') return;
    const [began, started] = [timeIn(id), timeIn(this.#id)];
    if (began !== undefined && started !== undefined && began !== started)
      this.#turn = began < started ? 'copied' : 'own';
  }

  /** Whether a line of this time is the parent's. */
  isCopying(at: number | undefined): boolean {
    if (this.#turn !== undefined) return this.#turn === 'copied';
    return this.#isFork && this.#startedAt !== undefined && at !== undefined && at - this.#startedAt <= copyingMs;
  }
}

/** When an id was made, in ms: a UUID of version 7 begins with it. */
function timeIn(id: string | undefined): number | undefined {
  const found = /^([0-9a-f]{8})-([0-9a-f]{4})-7/i.exec(id ?? '');
  return found === null ? undefined : Number.parseInt(`${found[1]}${found[2]}`, 16);
}
