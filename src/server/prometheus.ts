import type { Ledger } from '../ledger/ledger.ts';
import { statsBy } from '../ledger/stats.ts';
import { present } from '../json/present.ts';
import type { Totals } from '../stores/run-store.ts';
import type { Metrics } from './metrics.ts';
import type { QueueFigures } from './queue.ts';
import type { Viewers } from './viewers.ts';

type Sample = readonly [labels: Readonly<Record<string, string>>, value: number];

type Family = readonly [name: string, type: 'gauge' | 'counter', help: string, samples: readonly Sample[]];

/** Totals by class: those that the ledger keeps, else they are counted. */
export async function totalsOf({ store }: Ledger): Promise<readonly Totals[]> {
  const kept = await store.totals();
  if (kept !== undefined) return kept;
  return (await statsBy(store, 'class', {})).map(({ group, ...row }) => ({
    ...none,
    ...present({ class: group }),
    ...row,
  }));
}

const none = { input_tokens: 0, output_tokens: 0, cache_read_tokens: 0, cost: 0 };

/** The content of `/metrics`, in Prometheus' text format. */
export function prometheusText(
  classes: readonly Totals[],
  queue: QueueFigures | 'away' | undefined,
  metrics: Metrics,
  viewers: Viewers,
): string {
  const all = (name: Exclude<keyof Totals, 'class'>): number => classes.reduce((sum, row) => sum + row[name], 0);
  const one = (value: number): Sample[] => [[{}, value]];
  const families: readonly Family[] = [
    [
      'runwire_runs',
      'gauge',
      'Runs in the ledger by verdict class.',
      classes.map(({ class: name = 'none', runs }) => [{ class: name }, runs]),
    ],
    ['runwire_runs_live', 'gauge', 'Runs that have not ended.', one(all('running'))],
    [
      'runwire_tokens',
      'gauge',
      'Tokens of all runs in the ledger, as far as they are known.',
      [
        [{ kind: 'input' }, all('input_tokens')],
        [{ kind: 'output' }, all('output_tokens')],
        [{ kind: 'cache_read' }, all('cache_read_tokens')],
      ],
    ],
    ['runwire_cost_usd', 'gauge', 'Cost of the runs whose cost is known.', one(all('cost'))],
    ['runwire_cost_known_runs', 'gauge', 'Runs whose cost is known.', one(all('cost_known'))],
    ...queueFamilies(queue),
    ['runwire_viewers', 'gauge', 'Open streams.', one(viewers.count)],
    ['runwire_viewers_waiting_bytes', 'gauge', 'Bytes that viewers have not taken yet.', one(viewers.bytes)],
    ['runwire_viewers_behind_total', 'counter', 'Viewers that fell behind.', one(metrics.behind)],
    ['runwire_events_sent_total', 'counter', 'Events sent to viewers.', one(metrics.eventsSent)],
    ['runwire_uploads_total', 'counter', 'Uploads of runs on other machines.', one(metrics.uploads)],
    ['runwire_events_reported_total', 'counter', 'New events in these uploads.', one(metrics.recordsReported)],
    ['runwire_requests_refused_total', 'counter', 'Requests that were refused.', one(metrics.refused)],
    ['process_resident_memory_bytes', 'gauge', 'Memory of the server.', one(process.memoryUsage.rss())],
  ];
  return families
    .map(
      ([name, type, help, samples]) =>
        `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${samples.map((sample) => sampleText(name, sample)).join('')}`,
    )
    .join('');
}

/** Nothing where there is no queue; one that does not answer is down. */
function queueFamilies(queue: QueueFigures | 'away' | undefined): Family[] {
  if (queue === undefined) return [];
  const up: Family = ['runwire_queue_up', 'gauge', 'Whether the queue answers.', [[{}, queue === 'away' ? 0 : 1]]];
  if (queue === 'away') return [up];
  const { jobs, workers, oldest_wait_ms: oldest, slots, paused } = queue;
  const states = (['waiting', 'queued', 'running', 'dead'] as const).map((state): Sample => [{ state }, jobs[state]]);
  return [
    up,
    ['runwire_queue_runs', 'gauge', 'Runs in the queue; dead: nobody tries them any more.', states],
    ['runwire_queue_due_runs', 'gauge', 'Queued runs that may start now.', [[{}, jobs.due]]],
    [
      'runwire_queue_oldest_wait_seconds',
      'gauge',
      'How long the oldest run that may start has waited.',
      [[{}, oldest / 1000]],
    ],
    ['runwire_queue_paused', 'gauge', 'Whether the queue is paused.', [[{}, Number(paused)]]],
    [
      'runwire_workers',
      'gauge',
      'Workers; silent: no heartbeat for a whole lease.',
      Object.entries(workers).map(([state, count]) => [{ state }, count]),
    ],
    ['runwire_worker_slots', 'gauge', 'How many runs the working workers can do at a time.', [[{}, slots]]],
  ];
}

function sampleText(name: string, [labels, value]: Sample): string {
  const pairs = Object.entries(labels).map(([key, text]) => `${key}=${JSON.stringify(text)}`);
  return `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}\n`;
}

/** Caches an answer for some time. */
export function cached<Value>(make: () => Promise<Value>, ms: number, now: () => number): () => Promise<Value> {
  let made: { at: number; value: Promise<Value> } | undefined;
  return () => {
    if (made === undefined || now() - made.at > ms) {
      const value = make();
      made = { at: now(), value };
      value.catch(() => (made = undefined));
    }
    return made.value;
  };
}
