import { open, rm, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

const tries = 40;
const pauseMs = 25;
/** An older lock is stale: the work under it takes milliseconds, so its owner must have been killed. */
const staleMs = 10_000;

/** Does what others on this machine must not do at the same time; after a second nothing is done. */
export async function withLock(path: string, work: () => Promise<void>): Promise<void> {
  for (let attempt = 0; attempt < tries; attempt += 1) {
    try {
      await (await open(path, 'wx')).close();
    } catch {
      const age = await stat(path).then(
        ({ mtimeMs }) => Date.now() - mtimeMs,
        () => 0,
      );
      if (age > staleMs) await rm(path, { force: true });
      await sleep(pauseMs);
      continue;
    }
    try {
      return await work();
    } finally {
      await rm(path, { force: true });
    }
  }
}
