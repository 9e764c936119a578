import { useState } from 'preact/hooks';
import { costInWords, percent, plural } from '../../src/terminal/figures.ts';
import type { StatsRow } from '../api.ts';
import { useAnswer, useSoon } from '../parts/common.tsx';
import { NoticeButton } from '../parts/notices.tsx';
import { source } from '../parts/source.ts';
import { Bars } from './bars.tsx';

const daysShown = 30;
const patienceMs = 1500;

interface Sum {
  runs: number;
  running: number;
  succeeded: number;
  cost: number;
  costKnown: number;
  /** Runs whose cost is a lower bound. */
  costAtLeast: number;
}

function add(rows: readonly StatsRow[]): Sum {
  const sum: Sum = { runs: 0, running: 0, succeeded: 0, cost: 0, costKnown: 0, costAtLeast: 0 };
  for (const row of rows) {
    sum.runs += row.runs;
    sum.running += row.running;
    sum.succeeded += row.succeeded;
    sum.cost += row.cost ?? 0;
    sum.costKnown += row.cost_known;
    sum.costAtLeast += row.cost_at_least;
  }
  return sum;
}

/** How runs ended and what they cost, as far as it is known. */
export function Trends({ filters, changes }: { filters: string; changes: number }) {
  const { answer: days, again } = useAnswer(() => source.value.stats('day', new URLSearchParams(filters)), [filters]);
  // Adding up a large ledger takes a moment, so not every run that begins triggers it.
  useSoon(() => changes > 0 && again(), patienceMs, [changes]);
  const [isOpen, setOpen] = useState(false);
  if (days === undefined || days.length === 0) return null;
  const { runs, running, succeeded, cost, costKnown, costAtLeast } = add(days);
  const ended = runs - running;
  return (
    <section class="trends" aria-label="Over time">
      <dl class="figures">
        <div>
          <dt>Runs</dt>
          <dd>
            {runs}
            {running > 0 ? <small> {running} running</small> : null}
          </dd>
        </div>
        <div>
          <dt>Succeeded</dt>
          <dd>
            {ended === 0 ? '–' : percent(succeeded / ended)}
            <small>
              {' '}
              {succeeded} of {ended}
            </small>
          </dd>
        </div>
        <div>
          <dt>Cost</dt>
          <dd>
            {costKnown === 0 ? 'unknown' : costInWords({ cost, cost_is: costAtLeast > 0 ? 'at_least' : undefined })}
            <small>
              {' '}
              {costKnown === ended ? 'of all runs' : `${plural(Math.max(0, ended - costKnown), 'run')} unpriced`}
            </small>
          </dd>
        </div>
      </dl>
      <div class="trends-end">
        <Days days={lastDays(days)} />
        <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Hide chart' : 'Chart'}
        </button>
        <NoticeButton label="Notify me when runs end" />
      </div>
      {isOpen ? <Bars filters={filters} changes={changes} /> : null}
    </section>
  );
}

type Day = Pick<StatsRow, 'group' | 'runs' | 'running' | 'succeeded'>;

/** The last days in order, including those without runs. */
function lastDays(days: readonly StatsRow[]): Day[] {
  const known = new Map(days.map((day) => [day.group, day]));
  const last = Date.parse(days.at(-1)?.group ?? '');
  if (Number.isNaN(last)) return days.slice(-daysShown);
  return Array.from({ length: daysShown }, (_, index) => {
    const group = new Date(last - (daysShown - 1 - index) * 86_400_000).toISOString().slice(0, 10);
    return known.get(group) ?? { group, runs: 0, running: 0, succeeded: 0 };
  });
}

/** One bar per day: how many runs, and how many of them did not succeed. */
function Days({ days }: { days: readonly Day[] }) {
  const most = Math.max(1, ...days.map(({ runs }) => runs));
  const width = 7;
  const height = 34;
  return (
    <svg
      class="days"
      viewBox={`0 0 ${days.length * width} ${height}`}
      width={days.length * width}
      height={height}
      role="img"
      aria-label={`Runs in the last ${plural(days.length, 'day')}`}
    >
      {days.map(({ group, runs, running, succeeded }, index) => {
        const all = runs === 0 ? 1 : Math.max(2, (runs / most) * height);
        const failed = ((runs - running - succeeded) / Math.max(1, runs)) * all;
        return (
          <g key={group ?? index}>
            <title>
              {group}: {plural(runs, 'run')}, {succeeded} succeeded
            </title>
            <rect class="day-good" x={index * width} y={height - all} width={width - 2} height={all} />
            <rect class="day-bad" x={index * width} y={height - failed} width={width - 2} height={failed} />
          </g>
        );
      })}
    </svg>
  );
}
