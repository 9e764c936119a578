import { readdir, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';

export interface TapeBounds {
  /** Milliseconds since the epoch. */
  olderThan?: number;
  maxTotalBytes?: number;
  /** Relative paths that stay: tapes of runs that go on. */
  keep?: ReadonlySet<string>;
}

/** Removes tapes by age, then the oldest until the rest is small enough; answers which. */
export async function pruneTapes(folder: string, { olderThan, maxTotalBytes, keep = new Set() }: TapeBounds): Promise<string[]> {
  const tapes = [];
  for (const path of await tapesIn(folder)) {
    const found = await stat(join(folder, path)).catch(() => undefined);
    if (found !== undefined) tapes.push({ path, bytes: found.size, at: found.mtimeMs });
  }
  let total = tapes.reduce((sum, { bytes }) => sum + bytes, 0);
  const removed: string[] = [];
  for (const { path, bytes, at } of tapes) {
    const tooOld = olderThan !== undefined && at < olderThan;
    const tooMuch = maxTotalBytes !== undefined && total > maxTotalBytes;
    if (keep.has(path) || !(tooOld || tooMuch)) continue;
    await rm(join(folder, path), { force: true });
    total -= bytes;
    removed.push(path);
  }
  return removed;
}

/** Relative paths, the oldest first: a tape is named after its run, and ids sort by time. */
export async function tapesIn(folder: string): Promise<string[]> {
  const found = await readdir(folder, { recursive: true }).catch(() => []);
  return found.filter((path) => path.endsWith('.tape.zst')).toSorted((a, b) => (basename(a) < basename(b) ? -1 : 1));
}
