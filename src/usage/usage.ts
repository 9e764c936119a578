import { dirname, join } from 'node:path';
import { Failure } from '../failure.ts';
import { stateFolder } from '../files/xdg.ts';
import { present } from '../json/present.ts';
import { priceTable } from '../outcome/price-source.ts';
import type { Price } from '../outcome/price.ts';
import type { Environment } from '../words/vocabulary.ts';
import { blocks } from './blocks.ts';
import type { UsageDocument } from './document.ts';
import { gather, type Gathered } from './gather.ts';
import { type AllCalls, merge } from './merge.ts';
import type { Grouping } from './groupings.ts';
import { type Choice, type ModelRow, report, totalOf, type UsageRow } from './report.ts';
import { stores } from './stores/registry.ts';
import type { Store } from './stores/store.ts';
import { nearest } from '../words/nearest.ts';

export interface UsageSearch {
  env: Environment;
  /** The file of the ledger, if it is one: the index is beside it. */
  ledger?: string | undefined;
  warn(text: string): void;
  /** Only the stores of these agents. */
  agents?: readonly string[] | undefined;
}

/** Throws `Failure` when there is no agent of that name whose sessions are read. */
function storesOf(agents: readonly string[] | undefined): readonly Store[] {
  if (agents === undefined) return stores;
  const names = [...new Set(stores.map(({ agent }) => agent))];
  for (const name of agents)
    if (!names.includes(name))
      throw new Failure('input', `--agent ${name}${nearest(name, names)}: expected ${names.join(', ')}`);
  return stores.filter(({ agent }) => agents.includes(agent));
}

/** Everything that the agents of this machine have noted, each call once. */
export async function collect({ env, ledger, warn, agents }: UsageSearch): Promise<AllCalls & Gathered> {
  const gathered = await gather({
    stores: storesOf(agents),
    env,
    index: join(ledger === undefined ? stateFolder(env) : dirname(ledger), 'usage.index'),
    warn,
  });
  return { ...gathered, ...merge(gathered.counted) };
}

/** The report as a document. */
export function usageDocument(
  all: AllCalls & Gathered,
  by: Grouping | 'blocks',
  choice: Choice,
  { price, now }: { price: Price; now: number },
): UsageDocument {
  const rows = by === 'blocks' ? blocks(all, choice, price, now) : report(all, by, choice, price);
  return documentOf(all, { by, rows, choice });
}

interface Rows {
  by: UsageDocument['by'];
  rows: UsageRow[];
  choice: Choice;
}

function documentOf(all: AllCalls & Gathered, { by, rows, choice }: Rows): UsageDocument {
  const { zone, since, until } = choice;
  const dayOf = (local: number | undefined): string | undefined =>
    local === undefined ? undefined : new Date(local).toISOString().slice(0, 10);
  return {
    by,
    time_zone: zone.name,
    ...present({ since: dayOf(since), until: dayOf(until) }),
    rows,
    total: totalOf(rows),
    unpriced: unpricedIn(rows),
    incomplete: incompleteIn(all),
    repeated_calls: all.repeated,
    files: all.files.length,
    prices: { ...priceTable },
  };
}

/** Of all rows, the models that have no price. */
function unpricedIn(rows: readonly UsageRow[]): ModelRow[] {
  const open = rows.flatMap(({ models }) => models).filter(({ unpriced_calls: calls }) => calls !== undefined);
  const byModel = Map.groupBy(open, ({ model }) => model);
  return [...byModel].map(([model, parts]) => present({ model, ...totalOf(parts) }));
}

function incompleteIn({ unread, files }: AllCalls & Gathered): UsageDocument['incomplete'] {
  return [
    ...unread.map(({ path, why }) => ({ what: `cannot be read: ${why}`, path })),
    ...files
      .filter(({ usage }) => usage.damaged > 0)
      .map(({ file, usage }) => ({ what: 'damaged lines', path: file.path, count: usage.damaged })),
  ];
}
