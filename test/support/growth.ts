const factor = 16;
/** Some ticks of the clock of CPU time, which may be four ms apart. */
const leastMs = 12;

/** What is steeper is not linear; the distance to 1 is for caches and garbage collection. */
export const steepest = 6;

/**
 * One piece of work of sixteen times the size against sixteen pieces, in CPU time of this thread: 1 where cost grows linearly,
 * 16 where it grows with the square. The clock of CPU time is coarse, so the size grows until it shows; where there is a largest
 * size, the work is done more often instead.
 */
export function steepnessOf(work: (size: number) => void, largest = Infinity): number {
  // Others on the same machine take away caches and time: they can make it look steeper, never flatter.
  let least = Infinity;
  for (let tries = 0; tries < 5 && least > steepest; tries += 1) least = Math.min(least, measured(work, largest));
  return least;
}

function measured(work: (size: number) => void, largest: number): number {
  let size = Math.min(500, Math.floor(largest / factor));
  for (let times = 1; ;) {
    const pieces = (): number => cpuOf(factor * times, () => work(size)).ms;
    // The first time is also that of code that is not warm yet, which would make all that comes later look flat.
    const first = pieces();
    const small = first < leastMs ? first : Math.min(first, pieces());
    if (small >= leastMs) {
      // What is steep already need not be done to the end, which might take hours.
      const { ms, done } = cpuOf(times, () => work(factor * size), 2 * steepest * small);
      return ((ms / small) * times) / done;
    }
    if (2 * factor * size <= largest) size *= 2;
    else times *= 2;
  }
}

/** How long it takes to do it so often, and how often it was done when there was no more time. */
function cpuOf(times: number, work: () => void, most = Infinity): { ms: number; done: number } {
  const before = process.threadCpuUsage();
  const ms = (): number => {
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1000;
  };
  let done = 0;
  for (; done < times && (most === Infinity || ms() <= most); done += 1) work();
  return { ms: ms(), done };
}
