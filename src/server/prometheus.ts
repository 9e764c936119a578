import type { Ledger } from '../ledger/ledger.ts';
import { statsBy } from '../ledger/stats.ts';
import { present } from '../present.ts';
import type { Totals } from '../stores/run-store.ts';
import type { Metrics } from './metrics.ts';
import type { Viewers } from './viewers.ts';

type Sample = readonly [labels: Readonly<Record<string, string>>, value: number];

/** Totals by class: those that the ledger keeps, else they are counted. */
export async function totalsOf({ store }: Ledger): Promise<readonly Totals[]> {
  const kept = await store.totals();
  if (kept !== undefined) return kept;
  return (await statsBy(store, 'class', {})).map(({ group, ...row }) => ({ ...none, ...present({ class: group }), ...row }));
}

const none = { input_tokens: 0, output_tokens: 0, cache_read_tokens: 0, cost: 0 };

/** The content of `/metrics`, in Prometheus' text format. */
export function prometheusText(classes: readonly Totals[], metrics: Metrics, viewers: Viewers): string {
  const all = (name: Exclude<keyof Totals, 'class'>): number => classes.reduce((sum, row) => sum + row[name], 0);
  const one = (value: number): Sample[] => [[{}, value]];
  const families: readonly (readonly [name: string, type: 'gauge' | 'counter', help: string, samples: readonly Sample[]])[] = [
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
