import type { RunSummary } from '../../stores/run-store.ts';

const columns = [
  'id',
  'status',
  'class',
  'exit_code',
  'agent',
  'agent_version',
  'dialect',
  'model',
  'session_id',
  'cwd',
  'host',
  'started_at',
  'ended_at',
  'duration_ms',
  'input_tokens',
  'output_tokens',
  'reasoning_tokens',
  'cache_read_tokens',
  'cache_write_tokens',
  'cost',
  'cost_source',
  'turns',
  'tool_calls',
  'artifacts',
  'warnings',
  'title',
] as const;

export const summaryHeader: readonly string[] = [...columns, 'labels'];

/** Times as text that spreadsheets know; labels as `k=v` in one cell. */
export function summaryCells(run: RunSummary): (string | number | undefined)[] {
  const { labels, started_at, ended_at, ...rest } = run;
  const told: Readonly<Record<string, unknown>> = {
    ...rest,
    started_at: new Date(started_at).toISOString(),
    ...(ended_at === undefined ? {} : { ended_at: new Date(ended_at).toISOString() }),
  };
  const cells = columns.map((name) => {
    const value = told[name];
    return typeof value === 'string' || typeof value === 'number' ? value : undefined;
  });
  const words = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  return [...cells, words.length === 0 ? undefined : words.join(' ')];
}
