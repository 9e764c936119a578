const factor = 16;

/** What is steeper is not linear; the distance to 1 is for caches and garbage collection. */
export const steepest = 6;

/**
 * One piece of work of sixteen times the size against sixteen pieces, in CPU time of this thread: 1 where cost grows linearly,
 * 16 where it grows with the square. The clock of CPU time is coarse, so the size grows until it shows.
 */
export function steepnessOf(work: (size: number) => void): number {
  // Others on the same machine take away caches and time: they can make it look steeper, never flatter.
  let least = Infinity;
  for (let tries = 0; tries < 5 && least > steepest; tries += 1) least = Math.min(least, measured(work));
  return least;
}

function measured(work: (size: number) => void): number {
  for (let size = 500; ; size *= 2) {
    const pieces = (): void => {
      for (let piece = 0; piece < factor; piece += 1) work(size);
    };
    const first = cpuOf(pieces);
    // The first time is also that of code that is not warm yet, which would make all that comes later look flat.
    if (first >= 10) return cpuOf(() => work(factor * size)) / Math.min(first, cpuOf(pieces));
  }
}

/** In ms. */
function cpuOf(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
