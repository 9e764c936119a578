import { z } from 'zod';
import { isInForce, QuotaFact } from '../agents/quota/fact.ts';
import { knownQuota } from '../agents/quota/quota.ts';
import { ago, bar, compactDuration, percent } from '../terminal/figures.ts';
import { oneLine } from '../terminal/plain.ts';
import { type Column, table } from '../terminal/table.ts';
import type { Context } from './context.ts';
import { screenOf } from './screen.ts';

/** What is known of a window, as it is printed. */
export const QuotaRow = QuotaFact.extend({
  /** 0 to 1; 1 where the window has begun anew since. */
  left: z.number(),
  /** Whether the fact still holds: its window has not begun anew. */
  in_force: z.boolean(),
  age_ms: z.number(),
});
export type QuotaRow = z.infer<typeof QuotaRow>;

/** All windows that are known, those with least left first; the old ones come last. */
export async function quotaRows({ env, now }: Context, agents?: ReadonlySet<string>): Promise<QuotaRow[]> {
  const at = now();
  const facts = (await knownQuota(env)).filter(({ agent }) => agents?.has(agent) !== false);
  const rows = facts.map((fact): QuotaRow => {
    const holds = isInForce(fact, at);
    return {
      ...fact,
      left: holds ? Number((1 - fact.used).toFixed(4)) : 1,
      in_force: holds,
      age_ms: Math.max(0, at - fact.seen_at_ms),
    };
  });
  return rows.toSorted((one, other) => Number(other.in_force) - Number(one.in_force) || one.left - other.left);
}

const froms: Record<QuotaRow['from'], string> = {
  run: 'a run',
  session: 'a session file',
  status_line: 'the status line',
};

export function quotaTable(rows: readonly QuotaRow[], context: Context): string {
  if (rows.length === 0)
    return 'Nothing is known of any quota yet. Runs, sessions of Codex and the status line of Claude Code tell it.\n';
  const now = context.now();
  const columns: Column<QuotaRow>[] = [
    {
      title: 'AGENT',
      cell: ({ agent, provider }) => oneLine(provider === undefined ? agent : `${agent} (${provider})`, 40),
    },
    {
      title: 'WINDOW',
      cell: ({ window, window_minutes: minutes }) =>
        oneLine(minutes === undefined ? window : `${window}, ${compactDuration(minutes * 60_000)}`, 40),
    },
    {
      title: 'USED',
      align: 'right',
      cell: ({ used, in_force: holds }) => (holds ? percent(used) : '-'),
    },
    {
      title: 'LEFT',
      align: 'right',
      cell: ({ left, in_force: holds }) => (holds ? percent(left) : 'begun anew'),
      colour: ({ left }) => (left < 0.1 ? 'red' : left < 0.3 ? 'yellow' : 'green'),
    },
    { title: '', cell: ({ left }) => bar(left, 10).padEnd(10, '·'), leaves: 2 },
    {
      title: 'RESETS',
      cell: ({ resets_at_ms: resets, in_force: holds }) =>
        resets === undefined ? '' : holds ? `in ${compactDuration(resets - now)}` : `did so ${ago(resets, now)}`,
    },
    { title: 'SEEN', cell: ({ seen_at_ms: seen }) => ago(seen, now) },
    { title: 'BY', cell: ({ from }) => froms[from], leaves: 1 },
  ];
  return table(columns, [...rows], screenOf(context));
}
