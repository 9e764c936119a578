const pieces = 8;

/**
 * One piece of work of eight times the size against eight pieces, in CPU time of this thread: 1 where cost grows linearly,
 * 8 where it grows with the square. The clock of CPU time is coarse, so the size grows until it shows.
 */
export function steepnessOf(work: (size: number) => void): number {
  for (let size = 250; ; size *= 2) {
    const apart = (): void => {
      for (let piece = 0; piece < pieces; piece += 1) work(size);
    };
    if (cpuOf(apart) >= 12) return leastCpu(() => work(pieces * size)) / leastCpu(apart);
  }
}

/** What is steeper is not linear; the distance to 1 is for caches and garbage collection. */
export const steepest = 3;

function leastCpu(work: () => void): number {
  return Math.min(cpuOf(work), cpuOf(work), cpuOf(work));
}

/** In ms. */
function cpuOf(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
