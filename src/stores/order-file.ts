import { appendFileSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../files/make-folder.ts';
import { stateFolder } from '../files/xdg.ts';
import { newId } from '../ids/new-id.ts';
import { present } from '../json/present.ts';
import type { RunOrder } from '../contract/orders.ts';
import type { Environment } from '../words/vocabulary.ts';

/** How often a run looks whether somebody wants something of it. */
const lookMs = 250;
const mostBytes = 64 * 1024;

function pathOf(env: Environment, run: string): string {
  return join(stateFolder(env), 'orders', `${run}.jsonl`);
}

function answerPathOf(env: Environment, run: string, id: string): string {
  return join(stateFolder(env), 'orders', `${run}.${id}.answer`);
}

/** An order that was left for a run, until whoever left it takes it as dealt with. */
interface LeftOrder {
  /** `refused`: why it makes no difference; absent: it was carried out. */
  answer(): { refused?: string } | 'ended' | undefined;
  done(): void;
}

/** Leaves an order for a run of this machine and this user. */
export function giveOrder(env: Environment, run: string, order: RunOrder): LeftOrder {
  makeFolder(join(stateFolder(env), 'orders'));
  const id = newId();
  const path = pathOf(env, run);
  const answerPath = answerPathOf(env, run, id);
  // A run answers only into a file that is there: nobody would remove another one.
  writeFileSync(answerPath, '', { mode: 0o600 });
  appendFileSync(path, `${JSON.stringify({ ...order, id })}\n`, { mode: 0o600 });
  return {
    answer() {
      // Looked at before the answer, since a run answers and then ends.
      const isHeeded = existsSync(path);
      const text = readFileSync(answerPath, 'utf8');
      if (text.endsWith('\n')) return JSON.parse(text) as { refused?: string };
      return isHeeded ? undefined : 'ended';
    },
    done: () => rmSync(answerPath, { force: true }),
  };
}

/** Carries out orders as they come, until the returned function is called. `heed` returns why one makes no difference. */
export function heedOrders(env: Environment, run: string, heed: (order: RunOrder) => string | undefined): () => void {
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
        const { id, ...order } = readOrder(line) ?? {};
        if (!('do' in order)) continue;
        const refused = heed(order);
        const answerPath = id === undefined ? undefined : answerPathOf(env, run, id);
        if (answerPath !== undefined && existsSync(answerPath))
          writeFileSync(answerPath, `${JSON.stringify(present({ refused }))}\n`);
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
