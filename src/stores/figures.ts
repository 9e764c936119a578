import { tokenFields } from '../outcome/token-fields.ts';
import type { Row, Value } from './database.ts';
import { optionalNumber, parseOutcome, plainText } from './rows.ts';
import { outcomeText } from './seal.ts';
import type { LedgerOutcome, ToolCallSummary } from './run-store.ts';
import { isInJson, packSeries, seriesMark, type UsagePart } from './usage-series.ts';

export const figureTables = ['usage', 'usage_series', 'tools', 'files'] as const;
const filesKept = 1000;

/** A run's usage of one model, or in the course of time, its calls to one tool, or a file that it changed. */
interface Figures {
  table: (typeof figureTables)[number];
  /** What the row is about: together with the run, the key of its table. */
  about: Record<string, Value>;
  columns: Record<string, Value>;
}

/** A run with a single model has its usage in its own row. */
export function figuresOf({
  usage_by_model: models = [],
  usage_over_time: times = [],
  tool_calls: calls,
  artifacts,
}: LedgerOutcome): Figures[] {
  const usage = models.map((each): Figures => ({
    table: 'usage',
    about: { model: plainText(each.model_name ?? '') },
    columns: Object.fromEntries([...tokenFields, 'cost' as const].map((name) => [name, optionalNumber(each[name])])),
  }));
  const series: Figures[] =
    times.length === 0 ? [] : [{ table: 'usage_series', about: {}, columns: { parts: packSeries(times) } }];
  return [...usage, ...series, ...toolFigures(calls), ...fileFigures(artifacts)];
}

/** A row of one of these tables, as it is kept. */
export interface KeptFigures {
  table: string;
  row: Row;
}

/** What is wrong with the rows of a run in these tables; undefined: nothing. They come from its outcome, which is sealed. */
export function figureDamageOf(
  { id: run = null, status, prompt, outcome, seal }: Row,
  kept: readonly KeptFigures[],
): string | undefined {
  if (
    status === 'running' ||
    typeof seal !== 'string' ||
    (typeof outcome !== 'string' && !(outcome instanceof Uint8Array))
  )
    return undefined;
  const figures = figuresOf(parseOutcome(outcome, String(prompt)));
  const wrong = figureTables.find((name) => {
    if (name === 'usage_series') return !isSeriesOf(outcome, kept);
    const made = figures
      .filter(({ table }) => table === name)
      .map(({ about, columns }) => inOrder({ run, ...about, ...columns }));
    const found = kept.flatMap(({ table, row }) => (table === name ? [inOrder(row)] : []));
    return made.toSorted().join('\n') !== found.toSorted().join('\n');
  });
  return wrong === undefined
    ? undefined
    : `its rows in "${wrong}" were changed after its end: they are not what its outcome says`;
}

/** Beside an outcome stand the parts whose mark it has; one that has them itself is from an earlier version. */
function isSeriesOf(outcome: string | Uint8Array, kept: readonly KeptFigures[]): boolean {
  const { usage_over_time: mark } = JSON.parse(outcomeText(outcome)) as { usage_over_time?: string | UsagePart[] };
  const parts = kept.find(({ table }) => table === 'usage_series')?.row['parts'];
  if (mark === undefined || mark.length === 0) return parts === undefined;
  if (!(parts instanceof Uint8Array)) return false;
  return typeof mark === 'string' ? seriesMark(parts) === mark : isInJson(parts, mark);
}

function inOrder(columns: Row): string {
  return JSON.stringify(Object.entries(columns).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function toolFigures(calls: readonly ToolCallSummary[]): Figures[] {
  const byName = new Map<string, { calls: number; failed: number; duration_ms: number | null }>();
  for (const { name, status, duration_ms } of calls) {
    const key = plainText(name);
    const sum = byName.get(key) ?? { calls: 0, failed: 0, duration_ms: null };
    const took = optionalNumber(duration_ms);
    sum.calls += 1;
    if (status !== 'completed') sum.failed += 1;
    if (took !== null) sum.duration_ms = (sum.duration_ms ?? 0) + took;
    byName.set(key, sum);
  }
  return Array.from(byName, ([name, columns]) => ({ table: 'tools', about: { name }, columns }));
}

/** By the last part of a path. */
function fileFigures(artifacts: LedgerOutcome['artifacts']): Figures[] {
  const paths = new Set(artifacts.slice(0, filesKept).map(({ path }) => plainText(path)));
  return Array.from(paths, (path) => ({
    table: 'files',
    about: { name: path.slice(path.lastIndexOf('/') + 1), path },
    columns: {},
  }));
}
