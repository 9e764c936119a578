import { useState } from 'preact/hooks';
import { compactCount, costInWords, dollars, plural } from '../../src/terminal/figures.ts';
import type { StatsRow } from '../api.ts';
import { useAnswer } from '../parts/common.tsx';
import { oneLine } from '../parts/plain-text.ts';
import { source } from '../parts/source.ts';
import { withQuery } from '../route.ts';

const groups = [
  ['day', 'Day'],
  ['agent', 'Agent'],
  ['model', 'Model'],
  ['repo', 'Repository'],
] as const;
type Group = (typeof groups)[number][0];

const measures = [
  ['runs', 'Runs'],
  ['cost', 'Cost'],
  ['tokens', 'Tokens'],
] as const;
type Measure = (typeof measures)[number][0];

/** A bar; what did not succeed is a part of it, and is drawn in another colour. */
interface Bar {
  name: string;
  value: number;
  /** From 0 to 1. */
  failed: number;
  words: string;
  href?: string;
}

function valueOf(
  { runs, cost = 0, input_tokens: input = 0, output_tokens: output = 0 }: StatsRow,
  measure: Measure,
): number {
  return measure === 'runs' ? runs : measure === 'cost' ? cost : input + output;
}

function inWords(row: StatsRow, measure: Measure): string {
  const { runs, running, succeeded, cost, cost_at_least: atLeast, unpriced } = row;
  const ended = runs - running;
  if (measure === 'runs')
    return `${plural(runs, 'run')}${ended === 0 ? '' : `, ${succeeded} of ${ended} succeeded`}${running === 0 ? '' : `, ${running} running`}`;
  if (measure === 'tokens') return `${compactCount(valueOf(row, measure))} tokens`;
  const known = costInWords({ cost, cost_is: atLeast > 0 ? 'at_least' : undefined }) ?? 'cost unknown';
  return unpriced === 0 || cost === undefined ? known : `${known}, ${plural(unpriced, 'run')} unpriced`;
}

function barOf(row: StatsRow, by: Group, measure: Measure): Bar {
  const { group, runs, running, succeeded } = row;
  const failed = measure === 'runs' ? (runs - running - succeeded) / Math.max(1, runs) : 0;
  const bar: Bar = { name: group ?? 'unknown', value: valueOf(row, measure), failed, words: inWords(row, measure) };
  return group === undefined || by === 'day' ? bar : { ...bar, href: withQuery({ [by]: group }) };
}

const daysShown = 60;
const dayMs = 86_400_000;

/** Every day from the first to the last, so that days that are far apart stand far apart. */
function daysOf(rows: readonly StatsRow[], measure: Measure): Bar[] {
  const known = new Map(rows.map((row) => [row.group, row]));
  const times = rows.map(({ group }) => Date.parse(group ?? '')).filter((at) => !Number.isNaN(at));
  const last = times.reduce((newest, at) => Math.max(newest, at), Number.NEGATIVE_INFINITY);
  const first = times.reduce((oldest, at) => (last - at < daysShown * dayMs ? Math.min(oldest, at) : oldest), last);
  if (times.length === 0) return [];
  return Array.from({ length: Math.round((last - first) / dayMs) + 1 }, (_, index) => {
    const name = new Date(first + index * dayMs).toISOString().slice(0, 10);
    const row = known.get(name);
    return row === undefined ? { name, value: 0, failed: 0, words: 'nothing' } : barOf(row, 'day', measure);
  });
}

const groupsShown = 12;

/** Runs, cost and tokens, by day, agent, model or repository. */
export function Bars({ filters, changes }: { filters: string; changes: number }) {
  const [by, setBy] = useState<Group>('day');
  const [measure, setMeasure] = useState<Measure>('runs');
  const { answer: rows = [], error } = useAnswer(
    () => source.value.stats(by, new URLSearchParams(filters)),
    [filters, by, changes],
  );
  const all = by === 'day' ? daysOf(rows, measure) : rows.map((row) => barOf(row, by, measure));
  const bars = by === 'day' ? all : all.toSorted((a, b) => b.value - a.value).slice(0, groupsShown);
  const most = Math.max(0, ...bars.map(({ value }) => value));
  const top = measure === 'cost' ? dollars(most) : compactCount(most);
  return (
    <div class="bars">
      <div class="bars-head">
        <Choice label="By" all={groups} chosen={by} onChoose={setBy} />
        <Choice label="Show" all={measures} chosen={measure} onChoose={setMeasure} />
      </div>
      {error !== undefined ? (
        <p class="text-bad">{error.message}</p>
      ) : bars.length === 0 ? (
        <p class="muted">Nothing to show.</p>
      ) : by === 'day' ? (
        <Columns bars={bars} most={most} top={top} />
      ) : (
        <Lines bars={bars} most={most} />
      )}
      {all.length > bars.length ? (
        <p class="muted">
          The {groupsShown} largest of {all.length}.
        </p>
      ) : null}
    </div>
  );
}

interface ChoiceProperties<Value extends string> {
  label: string;
  all: readonly (readonly [value: Value, title: string])[];
  chosen: Value;
  onChoose: (value: Value) => void;
}

function Choice<Value extends string>({ label, all, chosen, onChoose }: ChoiceProperties<Value>) {
  return (
    <div class="chips" role="group" aria-label={label}>
      {all.map(([value, title]) => (
        <button key={value} type="button" class="chip" aria-pressed={value === chosen} onClick={() => onChoose(value)}>
          {title}
        </button>
      ))}
    </div>
  );
}

const share = (value: number, most: number): string =>
  `${most === 0 ? 0 : Math.max(value === 0 ? 0 : 0.5, (value / most) * 100)}%`;

/** Upright bars, one a day. */
function Columns({ bars, most, top }: { bars: readonly Bar[]; most: number; top: string }) {
  return (
    <div class="columns-box">
      <span class="columns-top" aria-hidden="true">
        {top}
      </span>
      <ol class="columns" aria-label="By day" tabIndex={0}>
        {bars.map(({ name, value, failed, words }) => (
          <li key={name} title={`${name}: ${words}`}>
            <span class="sr-only">
              {name}: {words}
            </span>
            <span class="column" style={{ height: share(value, most) }}>
              <span class="column-bad" style={{ height: `${failed * 100}%` }} />
            </span>
          </li>
        ))}
      </ol>
      <p class="columns-ends" aria-hidden="true" style={{ '--bars': bars.length }}>
        <span>{bars[0]?.name}</span>
        <span>{bars.length > 1 ? bars.at(-1)?.name : ''}</span>
      </p>
    </div>
  );
}

/** Lying bars with their names; a name leads to its runs. */
function Lines({ bars, most }: { bars: readonly Bar[]; most: number }) {
  return (
    <ol class="lines">
      {bars.map(({ name, value, failed, words, href }) => (
        <li key={name}>
          <span class="line-name">
            {href === undefined ? oneLine(name, 80) : <a href={href}>{oneLine(name, 80)}</a>}
          </span>
          <span class="line-track" aria-hidden="true">
            <span class="line-bar" style={{ width: share(value, most) }}>
              <span class="column-bad" style={{ width: `${failed * 100}%` }} />
            </span>
          </span>
          <span class="line-words">{words}</span>
        </li>
      ))}
    </ol>
  );
}
