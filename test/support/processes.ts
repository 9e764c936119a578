import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

/** Who is alive and has the text in its command line or its environment; a parent that never reaps keeps the dead in the table. */
export function processesWith(text: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 1 && pid !== process.pid)
    .filter((pid) => {
      const isGone = /\) [ZX] /.test(read(`/proc/${pid}/stat`));
      return !isGone && (read(`/proc/${pid}/cmdline`).includes(text) || read(`/proc/${pid}/environ`).includes(text));
    });
}

function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

/** Waits for what has no event of its own: the life and death of processes that are not our children. */
export async function until(isSo: () => boolean, limit = 30_000): Promise<boolean> {
  for (const deadline = performance.now() + limit; performance.now() < deadline; await wait(20)) if (isSo()) return true;
  return isSo();
}
