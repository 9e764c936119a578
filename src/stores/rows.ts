import { constants, zstdCompressSync } from 'node:zlib';
import { messageOf } from '../failure.ts';
import {
  type GivenOfRun,
  type RowField,
  rowFields,
  type SearchedName,
  storedFields,
  totalledNames,
} from '../contract/row.ts';
import { present } from '../json/present.ts';
import type { Owner } from '../processes/owner.ts';
import { periodOf, type Zone } from '../time/zone.ts';
import { DamagedRun } from './damaged-run.ts';
import type { Database, Row, Value } from './database.ts';
import { outcomeText, sealOf } from './seal.ts';
import { packSeries, seriesMark, unpackSeries } from './usage-series.ts';
import type {
  Attempt,
  Grouping,
  LedgerOutcome,
  OpenRun,
  RunRecord,
  RunSummary,
  RunUsage,
  StatsRow,
  TreePlace,
} from './run-store.ts';
import type { Labels } from '../contract/labels.ts';

const longestName = 500;
const titleLength = 120;
/** Up to this length compression gains little, and plain text can be read with any SQL tool. */
const shortOutcome = 600;

/** Text as every database can hold and compare it: PostgreSQL allows no NUL and no lone surrogates. */
export function plainText(text: string): string {
  return text.slice(0, longestName).replaceAll('\0', '\uFFFD').toWellFormed();
}

/** The same without a length limit, for texts that are only shown. */
export function wholeText(text: string): string {
  return text.replaceAll('\0', '\uFFFD').toWellFormed();
}

export function optionalText(text: string | undefined): string | null {
  return text === undefined || text === '' ? null : plainText(text);
}

export function optionalNumber(value: number | undefined): number | null {
  return value === undefined || !Number.isFinite(value) ? null : value;
}

/** A run without a parent has no root; if only the parent is known, it is the root. */
export function treeColumns({ parent_run_id: parent, root_run_id: root }: TreePlace): Record<string, Value> {
  const below = optionalText(parent);
  return { parent_run_id: below, root_run_id: below === null ? null : (optionalText(root) ?? below) };
}

/** The built-in agent has one name here, whether it comes from the flag or from its own events. */
export function agentName(name: string | undefined): string | null {
  return optionalText(name === 'builtin' ? 'runwire' : name);
}

type Table = 'runs' | 'documents';

const stored = Object.entries<RowField>(storedFields).map(([name, field]) => ({
  ...field,
  name,
  column: field.column ?? name,
}));

/** Whether a table has a column for it. */
const isIn = ({ table, isCopied }: RowField, wanted: Table): boolean =>
  table === wanted || (isCopied === true && wanted === 'runs');

/** The columns that an outcome fills. */
export function outcomeColumns(outcome: LedgerOutcome, table: Table = 'runs'): Record<string, Value> {
  const columns: Record<string, Value> = {};
  for (const { name, column, table: its, from } of stored)
    if (its === table && from !== undefined)
      columns[column] = name === 'agent' ? agentName(outcome.provenance.agent) : columnValue(from(outcome));
  return columns;
}

/** The columns that whoever starts or imports a run fills. */
export function givenColumns(
  run: { [Name in keyof GivenOfRun]?: string | undefined },
  table: Table,
): Record<string, Value> {
  const given: Readonly<Record<string, string | undefined>> = run;
  const columns: Record<string, Value> = {};
  for (const field of stored)
    if (field.isGiven && isIn(field, table)) columns[field.column] = optionalText(given[field.name]);
  return columns;
}

function columnValue(value: string | number | undefined): string | number | null {
  return typeof value === 'number' ? optionalNumber(value) : optionalText(value);
}

/** All columns of a table that hold what is known of a run. */
export function columnNames(table: Table): string[] {
  return stored.filter((field) => isIn(field, table)).map(({ column }) => column);
}

/** Runs are searched and grouped in `runs`, the smaller of the two tables. */
export function columnInRuns(name: SearchedName): string {
  const field: RowField = rowFields[name];
  return `r.${field.column ?? name}`;
}

/** The columns of a run as a list shows them. */
export const listColumns = [...shownColumns('runs', 'r'), ...shownColumns('documents', 'd')];
/** The columns that are added up. */
export const usageColumns = totalledNames.map((column) => `r.${column}`);

function shownColumns(table: Table, alias: string): string[] {
  return stored
    .filter((field) => field.table === table)
    .map(({ name, column }) => (column === name ? `${alias}.${name}` : `${alias}.${column} as "${name}"`));
}

/** A column without a value becomes an absent field. */
function filled(row: Row, without: readonly string[] = []): Record<string, unknown> {
  const columns: Record<string, unknown> = {};
  for (const name in row)
    if (row[name] !== null && row[name] !== undefined && !without.includes(name)) columns[name] = row[name];
  return columns;
}

/** Rows are written only by this room, from these very types, so what is read is what was written. */
export function summaryOf(row: Row, labels: Labels): RunSummary {
  const columns = filled(row, ['head', 'labels']);
  columns['title'] = titleOf(String(row['head'] ?? ''));
  columns['labels'] = labels;
  return columns as unknown as RunSummary;
}

export function usageOf(row: Row): RunUsage {
  return filled(row) as unknown as RunUsage;
}

/** Throws `DamagedRun` if what is stored as JSON cannot be read. */
export function recordOf(row: Row, labels: Labels): RunRecord {
  try {
    return readRecord(row, labels);
  } catch (error) {
    throw new DamagedRun(String(row['id']), error);
  }
}

function readRecord(row: Row, labels: Labels): RunRecord {
  const { prompt, attempts, owner, outcome: kept, series, ...rest } = row;
  // A run that was presumed dead and then reported again has not ended yet.
  const outcome = row['status'] === 'running' ? undefined : kept;
  return {
    ...summaryOf({ ...rest, head: prompt }, labels),
    prompt: String(prompt),
    attempts: typeof attempts === 'string' ? (JSON.parse(attempts) as Attempt[]) : [],
    ...(typeof outcome === 'string' || outcome instanceof Uint8Array
      ? { outcome: parseOutcome(outcome, String(prompt), series) }
      : {}),
    ...(typeof owner === 'string' ? { owner: JSON.parse(owner) as Owner } : {}),
  };
}

export function openRunOf(row: Row): OpenRun {
  const { owner, ...rest } = filled(row);
  return { ...rest, owner: JSON.parse(String(owner)) as Owner } as unknown as OpenRun;
}

export function statsOf({ group, subgroup, ...row }: Row, [first, second]: readonly Grouping[], zone: Zone): StatsRow {
  const { tool_calls, ...rest } = filled(row);
  const names = present({ group: groupName(group, first, zone), subgroup: groupName(subgroup, second, zone) });
  return { ...names, tool_calls: Number(tool_calls ?? 0), ...rest } as unknown as StatsRow;
}

function groupName(group: unknown, grouping: Grouping | undefined, zone: Zone): string | undefined {
  if (group === null || group === undefined) return undefined;
  if (grouping === 'hour') return periodOf(zone, Number(group), 'hour');
  if (grouping === 'day') return dateOf(Number(group));
  if (grouping === 'month') return dateOf(Number(group)).slice(0, 7);
  return grouping === 'week' ? weekName(Number(group)) : String(group);
}

const dayMs = 86_400_000;

function dateOf(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10);
}

/** As in ISO 8601, a week belongs to the year of its Thursday. */
function weekName(week: number): string {
  const thursday = week * 7;
  const year = new Date(thursday * dayMs).getUTCFullYear();
  const inYear = Math.floor((thursday - Date.UTC(year, 0, 1) / dayMs) / 7) + 1;
  return `${year}-W${String(inYear).padStart(2, '0')}`;
}

function titleOf(prompt: string): string {
  const line = prompt.replace(/\s+/g, ' ').trim();
  return line.length <= titleLength ? line : `${line.slice(0, titleLength - 1).toWellFormed()}…`;
}

/** Without a checksum a damaged text could be read as a different one. */
const checked = { params: { [constants.ZSTD_c_checksumFlag]: 1 } };

/** The prompt and what was used when are kept once, beside the outcome. Long texts are compressed for SQLite; PostgreSQL does that itself. */
export function writeOutcome(outcome: LedgerOutcome, kind: Database['kind']): string | Uint8Array {
  const { initial_prompt: prompt, ...metadata } = outcome.metadata;
  const { usage_over_time: parts } = outcome;
  const text = JSON.stringify({
    ...outcome,
    ...(isPlain(prompt) ? { metadata } : {}),
    ...(parts === undefined || parts.length === 0 ? {} : { usage_over_time: seriesMark(packSeries(parts)) }),
  });
  return kind === 'postgres' || text.length < shortOutcome ? text : zstdCompressSync(text, checked);
}

export function parseOutcome(written: string | Uint8Array, prompt: string, series?: unknown): LedgerOutcome {
  const outcome = JSON.parse(outcomeText(written)) as LedgerOutcome & { usage_over_time?: string | object };
  const whole = {
    ...outcome,
    metadata: { ...outcome.metadata, initial_prompt: outcome.metadata.initial_prompt ?? prompt },
  };
  if (typeof outcome.usage_over_time !== 'string') return whole;
  if (series instanceof Uint8Array) whole.usage_over_time = unpackSeries(series);
  else delete whole.usage_over_time;
  return whole;
}

/** The figures of a run, which are in its outcome as well. */
const figureColumns = [
  'exit_code',
  'cost',
  'cost_source',
  'input_tokens',
  'output_tokens',
  'turns',
  'tool_calls',
  'duration_ms',
] as const;

/** What is wrong with the parts of a run that are stored as JSON; undefined: nothing. */
export function damageOf(row: Row): string | undefined {
  const { status, class: verdict, prompt, outcome, attempts, owner, seal } = row;
  try {
    for (const text of [attempts, owner]) if (typeof text === 'string') JSON.parse(text);
  } catch {
    return 'its attempts or its owner cannot be read';
  }
  if (typeof outcome !== 'string' && !(outcome instanceof Uint8Array)) return undefined;
  try {
    const kept: Partial<LedgerOutcome> = parseOutcome(outcome, String(prompt));
    const isWhole = typeof kept.message === 'string' && Array.isArray(kept.tool_calls) && Array.isArray(kept.warnings);
    if (!isWhole || kept.metrics === undefined || kept.verdict === undefined)
      return 'its outcome is damaged: parts of it are missing';
    if (status === 'running') return undefined;
    if (kept.status !== status || kept.verdict.class !== verdict)
      return 'its outcome is damaged: its end differs from that of the run';
    if (typeof seal !== 'string') return undefined;
    const columns = outcomeColumns(kept as LedgerOutcome);
    const other = figureColumns.find((name) => (columns[name] ?? null) !== (row[name] ?? null));
    if (other !== undefined) return `its row was changed after its end: ${other} is not what its outcome says`;
    return sealOf(row) === seal ? undefined : 'it was changed after its end: it is not what was written';
  } catch (error) {
    return `its outcome is damaged: ${messageOf(error)}`;
  }
}

function isPlain(prompt: string): boolean {
  return prompt !== '' && wholeText(prompt) === prompt;
}
