import type { EventRecord } from '../events/event.ts';
import { sightingOf } from '../agents/stored/sightings.ts';

/** The model calls of a run of Claude Code that was seen as it happened, as the files of its sessions can be compared with them. */
export class SeenCalls {
  readonly #hashes = new Set<string>();
  #isClaude = false;

  see(record: EventRecord): void {
    if (record.type === 'thread.started' && record.agent !== undefined) this.#isClaude = record.agent === 'claude';
    if (!this.#isClaude || record.type !== 'turn.started' || record.turn_id === undefined) return;
    const hash = sightingOf(record.turn_id, record.timestamp === null ? Number.NaN : Date.parse(record.timestamp));
    if (hash !== undefined) this.#hashes.add(hash);
  }

  get hashes(): readonly string[] {
    return [...this.#hashes];
  }
}
