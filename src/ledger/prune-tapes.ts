import type { TapeEntry, Tapes } from '../tapes/tape.ts';

export interface TapeBounds {
  /** Milliseconds since the epoch. */
  olderThan?: number;
  maxTotalBytes?: number;
  /** Only tapes in these places; default: all. */
  places?: readonly TapeEntry['place'][];
  /** Keys to keep: tapes of runs that are still running. */
  keep?: ReadonlySet<string>;
  /** Only report what would be removed. */
  dryRun?: boolean;
}

export interface PrunedTapes {
  removed: TapeEntry[];
  removedBytes: number;
  leftBytes: number;
}

/** Removes tapes by age, then the oldest ones until the rest is small enough. */
export async function pruneTapes(
  tapes: Tapes,
  { olderThan, maxTotalBytes, places, keep = new Set(), dryRun = false }: TapeBounds,
): Promise<PrunedTapes> {
  const found: TapeEntry[] = [];
  for await (const entry of tapes.list()) if (places?.includes(entry.place) ?? true) found.push(entry);
  const total = found.reduce((sum, { bytes }) => sum + bytes, 0);
  let leftBytes = total;
  const removed: TapeEntry[] = [];
  for (const entry of found) {
    const tooOld = olderThan !== undefined && entry.at < olderThan;
    const tooMuch = maxTotalBytes !== undefined && leftBytes > maxTotalBytes;
    if (keep.has(entry.key) || !(tooOld || tooMuch)) continue;
    if (!dryRun) await tapes.at(entry.key)?.remove();
    leftBytes -= entry.bytes;
    removed.push(entry);
  }
  return { removed, removedBytes: total - leftBytes, leftBytes };
}
