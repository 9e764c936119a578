import type { RunSummary } from '../stores/run-store.ts';
import type { Tape } from '../tapes/tape.ts';
import { type Timeline, TimelineReader } from './timeline.ts';

/** How many characters of timelines are kept. */
const mostCharacters = 32 * 1024 * 1024;
/** What a tool call costs besides its texts. */
const charactersPerEntry = 100;

/**
 * The timelines that were asked for last. A tape that grows is read on from where it was, that of a run that has ended only once, and
 * those who ask at the same time get the same answer.
 */
export class Timelines {
  /** By tape; the one that nobody has asked for the longest is first. */
  readonly #kept = new Map<string, KeptTimeline>();
  readonly #most: number;
  #characters = 0;

  constructor(most = mostCharacters) {
    this.#most = most;
  }

  async of({ tape: key = '', status }: RunSummary, tape: Tape): Promise<Timeline> {
    const size = status === 'running' ? undefined : await tape.size();
    const known = this.#kept.get(key);
    const kept = known?.mayGrowTo(size) === true ? known : new KeptTimeline();
    this.#forget(key);
    this.#keep(key, kept);
    try {
      const timeline = await kept.read(tape, size);
      if (this.#kept.get(key) === kept) this.#makeRoom(key, kept);
      return timeline;
    } catch (error) {
      if (this.#kept.get(key) === kept) this.#forget(key);
      throw error;
    }
  }

  #keep(key: string, kept: KeptTimeline): void {
    this.#kept.set(key, kept);
    this.#characters += kept.characters;
  }

  #forget(key: string): void {
    this.#characters -= this.#kept.get(key)?.characters ?? 0;
    this.#kept.delete(key);
  }

  #makeRoom(newest: string, kept: KeptTimeline): void {
    this.#characters += kept.weigh();
    for (const key of this.#kept.keys()) {
      if (this.#characters <= this.#most || key === newest) return;
      this.#forget(key);
    }
  }
}

interface Reading {
  readonly size: number | undefined;
  readonly answer: Promise<Timeline>;
  /** Absent: it is not there yet. */
  timeline?: Timeline;
}

class KeptTimeline {
  readonly #reader = new TimelineReader();
  #latest: Reading | undefined;
  /** What it was counted as. */
  characters = 0;

  /** Only the tape of a run that goes on grows: one of another size is another one. */
  mayGrowTo(size: number | undefined): boolean {
    return this.#latest?.size === undefined || this.#latest.size === size;
  }

  /** `size`: of a tape that does not grow any more. */
  async read(tape: Tape, size: number | undefined): Promise<Timeline> {
    const before = this.#latest;
    if (before !== undefined && before.size === size && (size !== undefined || before.timeline === undefined))
      return before.answer;
    // A tape is read by one at a time.
    const answer = Promise.resolve(before?.answer).then(() => this.#reader.read(tape));
    const latest: Reading = { size, answer };
    this.#latest = latest;
    latest.timeline = await answer;
    return answer;
  }

  /** Counts what is kept; returns how much more it is than before. */
  weigh(): number {
    const before = this.characters;
    const entries = this.#latest?.timeline?.entries ?? [];
    this.characters = entries.reduce(
      (sum, { name, about = '' }) => sum + charactersPerEntry + name.length + about.length,
      0,
    );
    return this.characters - before;
  }
}
