import { bar, compactCount, compactDuration, dollars, plural } from '../../terminal/figures.ts';
import { oneLine } from '../../terminal/plain.ts';
import { type Column, type Screen, table } from '../../terminal/table.ts';
import type { UsageDocument } from '../../usage/document.ts';

type Row = UsageDocument['rows'][number];
type Shown = UsageDocument['total'] & Partial<Row>;

const chartWidth = 20;

const titles: Record<UsageDocument['by'], string> = {
  daily: 'DAY',
  weekly: 'WEEK',
  monthly: 'MONTH',
  session: 'SESSION',
  project: 'PROJECT',
  model: 'MODEL',
  agent: 'AGENT',
  blocks: 'BLOCK',
};

/** A report for people: its rows, their sum, and in words what the sum leaves out. */
export function usageTable(document: UsageDocument, screen: Screen, now: number): string {
  const { by, rows, total } = document;
  const most = Math.max(0, ...rows.map(measure));
  const isRow = (row: Shown): row is Shown & Row => row.group !== undefined;
  const inWords = [...paceOf(document, now), ...notesOf(document)];
  const columns: Column<Shown>[] = [
    {
      title: titles[by],
      ...(by === 'project' || by === 'model' || by === 'session' ? { fills: true } : {}),
      cell: (row) => (isRow(row) ? nameOf(by, row) : 'all'),
      colour: (row) => (isRow(row) ? undefined : 'bold'),
    },
    ...(by === 'session'
      ? [
          { title: 'AGENT', cell: ({ agent = '' }: Shown) => agent, leaves: 4 },
          { title: 'PROJECT', cell: ({ project = '' }: Shown) => oneLine(lastPart(project), 24), leaves: 5 },
        ]
      : []),
    ...(by === 'agent' ? [] : [{ title: 'AGENTS', cell: agentsOf(by), leaves: 7 }]),
    ...(by === 'model'
      ? []
      : [{ title: 'MODELS', cell: (row: Shown) => (isRow(row) ? modelsOf(row) : ''), fills: true, leaves: 3 }]),
    counts('CALLS', ({ calls }) => calls, 6),
    counts('INPUT', ({ input_tokens: tokens }) => tokens),
    counts('OUTPUT', ({ output_tokens: tokens }) => tokens),
    counts('CACHED', ({ cache_read_tokens: tokens }) => tokens, 2),
    counts('WRITTEN', ({ cache_write_tokens: tokens }) => tokens, 8),
    { title: 'COST', align: 'right', cell: costOf },
    {
      title: '',
      cell: (row) => (isRow(row) && most > 0 ? bar(measure(row) / most, chartWidth) : ''),
      leaves: 1,
    },
  ];
  return table(columns, [...rows, total], screen) + (inWords.length === 0 ? '' : `\n${inWords.join('\n')}\n`);
}

function counts(title: string, of: (row: Shown) => number, leaves?: number): Column<Shown> {
  return {
    title,
    align: 'right',
    cell: (row) => compactCount(of(row)),
    ...(leaves === undefined ? {} : { leaves }),
  };
}

/** Bars show the cost; where nothing has one, the tokens. */
function measure({ cost, input_tokens: input, output_tokens: output }: Shown): number {
  return cost ?? (input + output) / 1e9;
}

function nameOf(by: UsageDocument['by'], { group, sub_agent: sub }: Row): string {
  const name = by === 'blocks' ? group.replace('T', ' ').replace(/[+-]\d\d:\d\d$/, '') : group;
  return oneLine(sub === undefined ? name : `  ${sub}`, 60);
}

function agentsOf(by: UsageDocument['by']): (row: Shown) => string {
  return ({ agents = [] }) => (by === 'session' || agents.length === 0 ? '' : oneLine(agents.join(' '), 24));
}

function modelsOf({ models }: Row): string {
  return oneLine(models.map(({ model }) => shortModel(model)).join(', '), 80);
}

/** Without the date of the version and the name of the provider. */
function shortModel(model = '(not named)'): string {
  return lastPart(model).replace(/-20\d{6}$/, '');
}

function lastPart(path: string): string {
  return path.slice(path.lastIndexOf('/', path.length - 2) + 1);
}

/** What it leaves out is said below the table. */
function costOf({ cost, cost_is, unpriced_calls: open }: Shown): string {
  if (cost === undefined) return open === undefined ? '' : 'no price';
  return `${cost_is === undefined && open === undefined ? '' : '≥ '}${dollars(cost)}`;
}

/** Of the windows that are open: how long they last, and what they come to. */
function paceOf({ rows }: UsageDocument, now: number): string[] {
  return rows.flatMap((row) => {
    if (!('ends_at' in row) || !row.is_active) return [];
    const { agent = '', ends_at: end, cost_per_hour: pace, projected_cost: sum } = row;
    const rate =
      pace === undefined || sum === undefined
        ? ''
        : `, ${dollars(pace)} an hour, ${dollars(sum)} in the end at this rate`;
    return [`open: ${agent}, ${compactDuration(end - now)} left${rate}`];
  });
}

/** What the figures leave out, and what they include only once. */
function notesOf({ unpriced, incomplete, repeated_calls: repeated, total, prices }: UsageDocument): string[] {
  const notes = unpriced.map(
    ({ model, calls, input_tokens: input, output_tokens: output }) =>
      `no price for ${model === undefined ? 'calls that name no model' : oneLine(model, 60)}: ${plural(calls, 'call')}, ${compactCount(input)} in, ${compactCount(output)} out`,
  );
  for (const { what, path, count } of incomplete)
    notes.push(
      `not counted: ${path === undefined ? '' : `${oneLine(path, 200)}: `}${count === undefined ? '' : `${count} `}${oneLine(what, 200)}`,
    );
  if (repeated > 0) notes.push(`${plural(repeated, 'call')} left out that other files have too`);
  if (total.cost !== undefined)
    notes.push(
      `${total.cost_is === undefined ? '' : `At least ${dollars(total.cost)}: some calls are reported only as a total, or their tier has no list price. `}List prices of ${prices.as_of}.`,
    );
  return notes;
}
