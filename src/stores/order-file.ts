import { appendFileSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../files/make-folder.ts';
import { stateFolder } from '../files/xdg.ts';
import type { RunOrder } from '../contract/orders.ts';
import type { Environment } from '../words/vocabulary.ts';

/** How often a run looks whether somebody wants something of it. */
const lookMs = 250;
const mostBytes = 64 * 1024;

function pathOf(env: Environment, run: string): string {
  return join(stateFolder(env), 'orders', `${run}.jsonl`);
}

/** Leaves an order for a run of this machine and this user. */
export function giveOrder(env: Environment, run: string, order: RunOrder): void {
  makeFolder(join(stateFolder(env), 'orders'));
  appendFileSync(pathOf(env, run), `${JSON.stringify(order)}\n`, { mode: 0o600 });
}

/** Carries out orders as they come, until the returned function is called. */
export function heedOrders(env: Environment, run: string, heed: (order: RunOrder) => void): () => void {
  const path = pathOf(env, run);
  let read = 0;
  let isLooking = false;
  const look = async (): Promise<void> => {
    const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    if (size <= read || size > mostBytes || isLooking) return;
    isLooking = true;
    try {
      // Loaded with the first order: most runs get none.
      const { readOrder } = await import('../contract/orders-schema.ts');
      const text = readFileSync(path, 'utf8');
      const lines = text.slice(read, text.lastIndexOf('\n') + 1);
      read += lines.length;
      for (const line of lines.split('\n')) {
        const order = readOrder(line);
        if (order !== undefined) heed(order);
      }
    } catch {
      // It is read the next time.
    } finally {
      isLooking = false;
    }
  };
  const timer = setInterval(() => void look(), lookMs).unref();
  return () => {
    clearInterval(timer);
    rmSync(path, { force: true });
  };
}
