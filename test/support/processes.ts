import { closeSync, openSync, readdirSync, readSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

/** Who is alive and has the text in its command line or its environment; a parent that never reaps keeps the dead in the table. */
export function processesWith(text: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 1 && pid !== process.pid)
    .filter((pid) => read(pid, 'cmdline').includes(text) || read(pid, 'environ').includes(text))
    .filter((pid) => !/\) [ZX] /.test(read(pid, 'stat').toString('latin1')));
}

/**
 * Whether a process of this group is stopped. Not always its leader: a shell that starts a program by vfork waits for its exec, and so
 * does not stop itself while the program is stopped before that.
 */
export function isStopped(group: number): boolean {
  return readdirSync('/proc').some((pid) => {
    const stat = read(Number(pid), 'stat').toString('latin1');
    const [state, , itsGroup] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return state === 'T' && Number(itsGroup) === group;
  });
}

const buffer = Buffer.alloc(256 * 1024);

/** Tests look at all processes again and again: one buffer for all, and no call of the system more than needed. */
function read(pid: number, name: 'cmdline' | 'environ' | 'stat'): Buffer {
  let file: number | undefined;
  try {
    file = openSync(`/proc/${pid}/${name}`, 'r');
    return buffer.subarray(0, readSync(file, buffer));
  } catch {
    return buffer.subarray(0, 0);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Waits for what has no event of its own: the life and death of processes that are not our children. Looking costs, so what takes long is looked at less often. */
export async function until(isSo: () => boolean, limit = 30_000): Promise<boolean> {
  const deadline = performance.now() + limit;
  for (let pause = 10; performance.now() < deadline; pause = Math.min(pause * 1.5, 100)) {
    if (isSo()) return true;
    await wait(pause);
  }
  return isSo();
}
