import type { EventRecord, ItemStatus } from '../../events/event.ts';
import { BoundedList } from '../../outcome/bounded.ts';
import { subject } from '../../run/sinks/narration/call.ts';
import { oneLine } from '../../terminal/plain.ts';
import { bar, span } from './figures.ts';
import { playTape } from '../../ledger/run-tape.ts';
import type { Tape } from '../../stores/tape.ts';
import { type Column, type Screen, table } from './table.ts';

/** A tool call and when it was. */
interface TimelineEntry {
  name: string;
  /** Absent: it has not ended. */
  status?: ItemStatus;
  /** Milliseconds after the first event; absent: nobody told the time. */
  start_ms?: number;
  duration_ms?: number;
  /** The one argument that says most, cut. */
  about?: string;
}

export interface Timeline {
  entries: TimelineEntry[];
  /** From the first event to the last. */
  length_ms?: number;
  omitted: number;
}

const entriesKept = 1000;

/** The tool calls on a tape, in the order in which they began. */
export async function readTimeline(tape: Tape): Promise<Timeline> {
  const entries = new BoundedList<TimelineEntry>(entriesKept);
  const open = new Map<string, { entry: TimelineEntry; at: number | undefined }>();
  let first: number | undefined;
  let last: number | undefined;

  function onRecord(event: EventRecord): void {
    const at = event.timestamp === null ? undefined : Date.parse(event.timestamp);
    first ??= at;
    last = at ?? last;
    if (event.type === 'item.started') {
      const about = oneLine(subject(event.args), 120);
      const entry: TimelineEntry = {
        name: event.name,
        ...(at === undefined || first === undefined ? {} : { start_ms: at - first }),
        ...(about === '' ? {} : { about }),
      };
      entries.push(entry);
      open.set(event.item_id, { entry, at });
    } else if (event.type === 'item.completed') {
      const known = open.get(event.item_id);
      if (known === undefined) return;
      open.delete(event.item_id);
      known.entry.status = event.status;
      const duration = event.duration_ms ?? (at === undefined || known.at === undefined ? undefined : at - known.at);
      if (duration !== undefined) known.entry.duration_ms = Math.max(0, duration);
    }
  }

  await playTape(tape, { onRecord });
  return {
    entries: entries.toArray(),
    ...(first === undefined || last === undefined ? {} : { length_ms: last - first }),
    omitted: entries.omitted,
  };
}

const chartWidth = 24;
const shownEntries = 60;

/** The calls as bars over the length of the run. */
export function drawTimeline({ entries, length_ms: length, omitted }: Timeline, screen: Screen): string {
  const half = shownEntries / 2;
  const shown = entries.length <= shownEntries ? entries : [...entries.slice(0, half), ...entries.slice(-half)];
  const columns: Column<TimelineEntry>[] = [
    { title: 'AT', align: 'right', cell: ({ start_ms: at }) => (at === undefined ? '' : span(at)) },
    { title: 'TOOK', align: 'right', cell: ({ duration_ms: ms }) => (ms === undefined ? '' : span(ms)) },
    { title: ''.padEnd(chartWidth), cell: (entry) => barOf(entry, length), leaves: 2 },
    { title: 'TOOL', cell: ({ name }) => oneLine(name, 24) },
    {
      title: 'END',
      cell: ({ status }) => status ?? 'running',
      colour: ({ status }) => (status === 'success' ? 'green' : status === undefined ? 'yellow' : 'red'),
    },
    { title: 'ABOUT', fills: true, cell: ({ about }) => oneLine(about ?? ''), leaves: 3 },
  ];
  const hidden = omitted + entries.length - shown.length;
  return table(columns, shown, screen) + (hidden > 0 ? `… ${hidden} more between the first and the last ${half}\n` : '');
}

function barOf({ start_ms: start, duration_ms: duration }: TimelineEntry, length: number | undefined): string {
  if (start === undefined || length === undefined || length <= 0) return '';
  const before = Math.min(chartWidth - 1, Math.floor((start / length) * chartWidth));
  return ' '.repeat(before) + bar((duration ?? 0) / length || Number.EPSILON, chartWidth).slice(0, chartWidth - before);
}
