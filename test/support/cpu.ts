/**
 * One piece of work of four times the size against four pieces, in CPU time of this thread: 1 where cost grows linearly,
 * 4 where it grows with the square. The clock of CPU time is coarse, so the size grows until it shows.
 */
export function steepnessOf(work: (size: number) => void): number {
  for (let size = 1000; ; size *= 2) {
    const four = (): void => {
      for (let piece = 0; piece < 4; piece += 1) work(size);
    };
    if (cpuOf(four) >= 25) return leastCpu(() => work(4 * size)) / leastCpu(four);
  }
}

/** What is steeper is not linear; the distance to 1 is for caches and garbage collection. */
export const steepest = 2.5;

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
