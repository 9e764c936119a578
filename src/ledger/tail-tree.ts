import type { RunOutcome } from '../outcome/outcome.ts';
import { present } from '../json/present.ts';
import type { RunSummary } from '../stores/run-store.ts';
import { arrange, treeOf } from './arrange.ts';
import type { Ledger } from './ledger.ts';
import { tapeOf } from './run-tape.ts';
import { runRecords, type Waiting } from './tail.ts';
import type { TapedRecord } from './tape-check.ts';

/** A record of one run of a tree, or its outcome, or why its tape cannot be read here. */
export type TreeNews = { run: RunSummary } & (
  | { records: readonly TapedRecord[] }
  | { outcome: RunOutcome | undefined; damage?: string }
  | { missing: string }
);

const lookMs = 300;

/**
 * The records of a run and all runs below it, each in its own order. With `follow`, runs that begin later are included, until the top has
 * ended and no run below it is still running; without it, one run after the other, in tree order.
 */
export async function* treeRecords(ledger: Ledger, top: RunSummary, follow?: Waiting): AsyncGenerator<TreeNews, void> {
  if (follow === undefined) {
    for (const run of await runsOf(ledger, top)) yield* newsOf(ledger, run);
    return;
  }
  const heard = new Map<string, AsyncGenerator<TreeNews, void>>();
  const pending = new Map<string, Promise<{ id: string; news: IteratorResult<TreeNews, void> }>>();
  const ask = (id: string): void => {
    const reader = heard.get(id);
    if (reader !== undefined)
      pending.set(
        id,
        reader.next().then((news) => ({ id, news })),
      );
  };
  for (;;) {
    for (const run of await runsOf(ledger, top)) {
      if (heard.has(run.id)) continue;
      heard.set(run.id, newsOf(ledger, run, follow));
      ask(run.id);
    }
    if (pending.size === 0) return;
    const next = await Promise.race([...pending.values(), follow.sleep(lookMs)]);
    if (next === undefined) continue;
    pending.delete(next.id);
    if (next.news.done === true) continue;
    yield next.news.value;
    ask(next.id);
  }
}

async function* newsOf(ledger: Ledger, run: RunSummary, follow?: Waiting): AsyncGenerator<TreeNews, void> {
  const found = await tapeOf(ledger.tapes, run);
  if ('missing' in found) return yield { run, missing: found.missing };
  let damage: string | undefined;
  const records = runRecords(ledger, run, found.tape, {
    ...present({ follow }),
    onDamaged: (why) => void (damage = why),
  });
  let next = await records.next();
  for (; next.done !== true; next = await records.next()) yield { run, records: next.value };
  yield { run, outcome: next.value, ...present({ damage }) };
}

/** The run and the runs below it. */
async function runsOf({ store }: Ledger, top: RunSummary): Promise<RunSummary[]> {
  const placed = arrange(top, await store.below([treeOf(top)]));
  // A tree that is requested by one of its branches holds other branches, too.
  const inside = new Set([top.id]);
  return placed.flatMap(({ run }) => {
    if (run.id !== top.id && !inside.has(run.parent_run_id ?? '')) return [];
    inside.add(run.id);
    return [run];
  });
}
