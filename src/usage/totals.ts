import { callKinds, column, width } from './calls.ts';
import { kindOf, type Merged } from './merge.ts';

interface Row {
  rows: Float64Array;
  start: number;
}

/**
 * Claude Code may write what a whole session used and cost, calls without a message included. What its messages do not account for
 * is one more row, and what it cost in all is shared among its calls. A total below what the messages used is not of the whole session.
 */
export function settle(files: readonly Merged[]): void {
  const withTotals = files.filter(hasTotals);
  if (withTotals.length === 0) return;
  const sessions = Map.groupBy(files, sessionOf);
  for (const merged of withTotals) {
    const totals = totalsIn(merged);
    if (totals.length === 0) continue;
    const calls = (sessions.get(sessionOf(merged)) ?? []).flatMap(callsIn);
    const isWhole = merged.repeated === 0 && sum(calls, column.input) <= sum(totals, column.input) && hasTokens(totals);
    for (const { rows, start } of totals) {
      const name = merged.usage.words[rows[start + column.model] ?? -1] ?? '';
      const own = calls.filter((call) => isSame(call.model, name));
      const isOnlyPaid = !hasTokens(totals) && merged.repeated === 0;
      if (isWhole || isOnlyPaid) takeRest(rows, start, own);
      if (!(isWhole || isOnlyPaid) || isEmpty({ rows, start })) merged.counts[start / width] = 0;
    }
  }
}

function hasTotals({ usage: { rows } }: Merged): boolean {
  return rows.length > 0 && kindOf(rows, rows.length - width) === 'total';
}

const sessionOf = ({ file, usage }: Merged): string => `${file.agent} ${usage.sessions.at(-1)?.id ?? ''}`;

function totalsIn({ usage, counts }: Merged): Row[] {
  const { rows } = usage;
  const found: Row[] = [];
  // They are the last rows of a file.
  for (let start = rows.length - width; start >= 0 && kindOf(rows, start) === 'total'; start -= width)
    if (counts[start / width] === 1) found.push({ rows, start });
  return found;
}

interface CallRow extends Row {
  model: string;
}

function callsIn({ usage: { rows, words }, counts }: Merged): CallRow[] {
  const found: CallRow[] = [];
  for (let start = 0; start < rows.length; start += width)
    if (counts[start / width] === 1 && kindOf(rows, start) !== 'total')
      found.push({ rows, start, model: words[rows[start + column.model] ?? -1] ?? '' });
  return found;
}

/** A total and its messages may name a model differently (`x` and `x[1m]`), and one of them may not name it at all. */
function isSame(model: string, total: string): boolean {
  return model === total || model === '' || total === '' || total.startsWith(model) || model.startsWith(total);
}

const counted = [
  column.input,
  column.output,
  column.reasoning,
  column.cacheRead,
  column.cacheWrite,
  column.cacheWriteHour,
  column.webSearches,
] as const;

/** Makes a total what it has beyond these calls, and shares its cost among all of them. */
function takeRest(rows: Float64Array, start: number, calls: readonly Row[]): void {
  for (const field of counted) {
    const whole = rows[start + field] ?? Number.NaN;
    if (!Number.isNaN(whole)) rows[start + field] = Math.max(0, whole - sum(calls, field));
  }
  rows[start + column.kind] = callKinds.indexOf('rest');
  const cost = rows[start + column.cost] ?? Number.NaN;
  if (Number.isNaN(cost)) return;
  const all = [...calls, { rows, start }];
  const weights = all.map(weightOf);
  const heaviest = weights.reduce((whole, weight) => whole + weight, 0);
  for (const [index, each] of all.entries()) {
    const share = heaviest === 0 ? Number(index === all.length - 1) : (weights[index] ?? 0) / heaviest;
    each.rows[each.start + column.cost] = cost * share;
  }
}

function isEmpty({ rows, start }: Row): boolean {
  return counted.every((field) => (rows[start + field] || 0) === 0) && (rows[start + column.cost] || 0) === 0;
}

/** In what proportion calls cost, as the prices of most models have it. */
function weightOf({ rows, start }: Row): number {
  const of = (field: number): number => rows[start + field] || 0;
  const [read, written] = [of(column.cacheRead), of(column.cacheWrite)];
  return of(column.input) - read - written + read * 0.1 + written * 1.25 + of(column.output) * 5;
}

function sum(all: readonly Row[], field: number): number {
  return all.reduce((whole, { rows, start }) => whole + (rows[start + field] || 0), 0);
}

function hasTokens(totals: readonly Row[]): boolean {
  return sum(totals, column.input) + sum(totals, column.output) > 0;
}
