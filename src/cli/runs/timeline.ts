import type { Timeline, TimelineEntry } from '../../ledger/timeline.ts';
import { present } from '../../json/present.ts';
import { oneLine } from '../../terminal/plain.ts';
import { bar, compactDuration } from '../../terminal/figures.ts';
import { type Column, type Screen, table } from '../../terminal/table.ts';

/** An entry as it is printed, for programs too: what a call is about is cut to a few words on one line. */
export function shownEntry({ about, ...entry }: TimelineEntry): TimelineEntry {
  return { ...entry, ...present({ about: (about === undefined ? '' : oneLine(about, 120)) || undefined }) };
}

const chartWidth = 24;
const shownEntries = 60;

/** The calls as bars over the length of the run. */
export function drawTimeline({ entries, length_ms: length, omitted }: Timeline, screen: Screen): string {
  const half = shownEntries / 2;
  const shown = entries.length <= shownEntries ? entries : [...entries.slice(0, half), ...entries.slice(-half)];
  const columns: Column<TimelineEntry>[] = [
    { title: 'AT', align: 'right', cell: ({ start_ms: at }) => (at === undefined ? '' : compactDuration(at)) },
    { title: 'TOOK', align: 'right', cell: ({ duration_ms: ms }) => (ms === undefined ? '' : compactDuration(ms)) },
    { title: ''.padEnd(chartWidth), cell: (entry) => barOf(entry, length), leaves: 2 },
    { title: 'TOOL', cell: ({ name }) => oneLine(name, 24) },
    {
      title: 'END',
      cell: ({ status }) => status ?? 'running',
      colour: ({ status }) => (status === 'success' ? 'green' : status === undefined ? 'yellow' : 'red'),
    },
    { title: 'ABOUT', fills: true, cell: (entry) => oneLine(shownEntry(entry).about ?? ''), leaves: 3 },
  ];
  const hidden = omitted + entries.length - shown.length;
  return (
    table(columns, shown, screen) + (hidden > 0 ? `… ${hidden} more between the first and the last ${half}\n` : '')
  );
}

function barOf({ start_ms: start, duration_ms: duration }: TimelineEntry, length: number | undefined): string {
  if (start === undefined || length === undefined || length <= 0) return '';
  const before = Math.min(chartWidth - 1, Math.floor((start / length) * chartWidth));
  return ' '.repeat(before) + bar((duration ?? 0) / length || Number.EPSILON, chartWidth).slice(0, chartWidth - before);
}
