import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { ago, compactCount, compactDuration, costInWords, plural } from '../../src/terminal/figures.ts';
import type { RunSummary } from '../api.ts';
import { Command, Dot, Empty, now, Problem, say, setTab, useAnswer, useSoon } from '../parts/common.tsx';
import { source } from '../parts/source.ts';
import { useKeys } from '../parts/keys.ts';
import { notify } from '../parts/notices.tsx';
import { oneLine } from '../parts/plain-text.ts';
import {
  clockTime,
  dateTime,
  endInAWord,
  endInWords,
  labelsOf,
  newer,
  shortId,
  stateOf,
  waitsUntil,
} from '../parts/words.ts';
import { address, go } from '../route.ts';
import { lastFilters } from './beside.tsx';
import { Filters, filterNames } from './filters.tsx';
import { grouped, type ListedRun } from './grouped.ts';
import { Trends } from './trends.tsx';

const pageLength = 100;

type SortField = 'started_at' | 'duration_ms' | 'cost' | 'tokens' | 'tool_calls';
const columns: readonly (readonly [field: SortField, title: string])[] = [
  ['started_at', 'Started'],
  ['duration_ms', 'Took'],
  ['cost', 'Cost'],
  ['tokens', 'Tokens'],
  ['tool_calls', 'Tools'],
];

/** The filters in the address, as a query for the server. */
function queryOf(url: URL): URLSearchParams {
  const query = new URLSearchParams();
  for (const name of filterNames) for (const value of url.searchParams.getAll(name)) query.append(name, value);
  return query;
}

export function ListPage() {
  const url = address.value;
  const filters = queryOf(url);
  const key = filters.toString();
  const [more, setMore] = useState<{ key: string; runs: RunSummary[]; next?: string | undefined }>({ key, runs: [] });
  const { answer, error, again } = useAnswer(() => {
    const query = new URLSearchParams(key);
    query.set('limit', String(pageLength));
    query.set('live', '1');
    return source.value.runs(query);
  }, [key]);
  const [live, setLive] = useState<ReadonlyMap<string, RunSummary>>(new Map());
  const [isLoading, setLoading] = useState(false);
  const [marked, setMarked] = useState<readonly string[]>([]);
  const [selected, setSelected] = useState(-1);
  /** How often a run has begun or ended since the page was opened. */
  const [changes, setChanges] = useState(0);
  const isFiltered = key !== '';
  useEffect(() => void (lastFilters.value = key), [key]);

  useEffect(() => {
    const going = new Set<string>();
    return source.value.live((run) => {
      if (run.status === 'running' ? !going.has(run.id) : going.has(run.id)) setChanges((before) => before + 1);
      if (run.status === 'running') going.add(run.id);
      else if (going.delete(run.id)) notify(run, endInWords(run));
      setLive((before) => new Map(before).set(run.id, run));
    }, again);
  }, [key]);
  // Only the server can tell whether a run passes a filter.
  useSoon(() => isFiltered && live.size > 0 && again(), 500, [live]);

  const added = more.key === key ? more.runs : [];
  const runs = useMemo(() => {
    const known = [...(answer?.runs ?? []), ...added];
    const ids = new Set(known.map(({ id }) => id));
    const fresh = isFiltered ? [] : [...live.values()].filter(({ id }) => !ids.has(id));
    return sorted([...fresh, ...known.map((run) => newer(run, live.get(run.id)))], url.searchParams.get('sort'));
  }, [answer, added, live, isFiltered, url.searchParams.get('sort')]);
  const isSorted = url.searchParams.get('sort') !== null;
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  const listed = useMemo(
    () =>
      isSorted ? runs.map((run): ListedRun => ({ run, depth: 0, below: 0, isOpen: false })) : grouped(runs, toggled),
    [runs, isSorted, toggled],
  );
  const running = runs.filter(({ status }) => status === 'running').length;
  const next = more.key === key && more.runs.length > 0 ? more.next : answer?.next;

  useEffect(
    () => setTab(running === 0 ? 'Runs · Runwire' : `(${running}) Runs · Runwire`, running === 0 ? 'idle' : 'running'),
    [running],
  );

  async function loadMore(): Promise<void> {
    const query = new URLSearchParams(key);
    query.set('limit', String(pageLength));
    query.set('live', '1');
    if (next !== undefined) query.set('after', next);
    setLoading(true);
    try {
      const page = await source.value.runs(query);
      setMore({ key, runs: [...added, ...page.runs], next: page.next });
    } catch (problem) {
      say(problem instanceof Error ? problem.message : String(problem));
    } finally {
      setLoading(false);
    }
  }

  function mark(id: string): void {
    setMarked(marked.includes(id) ? marked.filter((each) => each !== id) : [...marked.slice(-1), id]);
  }
  function compare(): void {
    const [a, b] = marked;
    if (a !== undefined && b !== undefined) go(`/compare/${a}/${b}`);
  }

  const chosen = listed[selected]?.run;
  function toggle(id: string): void {
    const changed = new Set(toggled);
    if (!changed.delete(id)) changed.add(id);
    setToggled(changed);
  }
  const rows = useRef<HTMLDivElement>(null);
  function select(index: number): void {
    const at = Math.min(Math.max(0, index), listed.length - 1);
    setSelected(at);
    const row = rows.current?.querySelectorAll<HTMLElement>('a.run-title')[at];
    row?.focus({ preventScroll: true });
    row?.scrollIntoView({ block: 'nearest' });
  }
  useKeys([
    { key: 'j', what: 'Next run', run: () => select(selected + 1) },
    { key: 'k', what: 'Previous run', run: () => select(selected - 1) },
    { key: 'Enter', what: 'Open the run', run: () => chosen && go(`/runs/${chosen.id}`) },
    { key: '/', what: 'Search all runs', run: () => document.querySelector<HTMLInputElement>('#search-runs')?.focus() },
    { key: 'm', what: 'Mark the run for comparison', run: () => chosen && mark(chosen.id) },
    { key: 'o', what: 'Fold or unfold the runs below', run: () => chosen && toggle(chosen.id) },
    { key: 'c', what: 'Compare the two marked runs', run: compare },
  ]);

  if (error !== undefined && answer === undefined) return <Problem error={error} again={again} />;
  return (
    <main class="list-page">
      <h1 class="sr-only">Runs</h1>
      <Trends filters={key} changes={changes} />
      <Filters />
      {error === undefined ? null : <p class="banner banner-bad">{error.message}</p>}
      {answer === undefined ? (
        <p class="loading">Loading runs…</p>
      ) : runs.length === 0 ? (
        isFiltered ? (
          <Empty title="No matching runs">
            <p>
              Remove a filter, or search for fewer words. A star at the end matches any word that begins like it: flak*
            </p>
            <p>
              <a href="/">Show all runs</a>
            </p>
          </Empty>
        ) : (
          <Empty title="No runs yet">
            <p>Start one, and it appears here while it runs:</p>
            <Command text={'runwire run --agent codex "fix the failing test"'} />
            <p>Or import earlier sessions of other tools:</p>
            <Command text="runwire runs import ~/.claude/projects ~/.codex/sessions" />
          </Empty>
        )
      ) : (
        <div class="runs" ref={rows} role="table" aria-label="Runs" aria-rowcount={listed.length}>
          <div class="run-row run-head" role="row">
            <span role="columnheader" class="run-mark">
              <span class="sr-only">Mark</span>
            </span>
            <span role="columnheader" class="run-state">
              State
            </span>
            <span role="columnheader">Run</span>
            {columns.map(([field, title]) => (
              <SortHead key={field} field={field} title={title} />
            ))}
          </div>
          {listed.map((each, index) => (
            <RunLine
              key={each.run.id}
              listed={each}
              onFold={() => toggle(each.run.id)}
              isSelected={index === selected}
              isMarked={marked.includes(each.run.id)}
              onMark={() => mark(each.run.id)}
            />
          ))}
        </div>
      )}
      {next === undefined ? null : (
        <p class="list-more">
          <button type="button" disabled={isLoading} onClick={() => void loadMore()}>
            Load more runs
          </button>
        </p>
      )}
      {isSorted && next !== undefined ? (
        <p class="hint">Sorted among the {plural(runs.length, 'run')} loaded so far; there are more.</p>
      ) : null}
      {marked.length === 0 ? null : (
        <div class="tray" role="region" aria-label="Compare">
          <span>
            {marked.length === 1 ? 'Mark one more run to compare with ' : 'Compare '}
            {marked.map(shortId).join(' and ')}
          </span>
          {marked.length === 2 ? (
            <button type="button" class="primary" onClick={compare}>
              Compare
            </button>
          ) : null}
          <button type="button" class="quiet" onClick={() => setMarked([])}>
            Clear
          </button>
        </div>
      )}
    </main>
  );
}

function figure(run: RunSummary, field: SortField): number | undefined {
  if (field === 'tokens')
    return run.input_tokens === undefined && run.output_tokens === undefined
      ? undefined
      : (run.input_tokens ?? 0) + (run.output_tokens ?? 0);
  return run[field];
}

/** Running ones first, then the newest; or by a column if one is given, unknown figures last. */
function sorted(runs: readonly RunSummary[], sort: string | null): RunSummary[] {
  const isUp = sort?.startsWith('-') === false;
  const field = columns.find(([name]) => name === sort?.replace(/^-/, ''))?.[0];
  if (field === undefined)
    return runs.toSorted(
      (a, b) => Number(b.status === 'running') - Number(a.status === 'running') || b.started_at - a.started_at,
    );
  return runs.toSorted((a, b) => {
    const [one, other] = [figure(a, field), figure(b, field)];
    if (one === undefined || other === undefined) return Number(one === undefined) - Number(other === undefined);
    return isUp ? one - other : other - one;
  });
}

function SortHead({ field, title }: { field: SortField; title: string }) {
  const sort = address.value.searchParams.get('sort');
  const state = sort === field ? 'ascending' : sort === `-${field}` ? 'descending' : 'none';
  const url = new URL(address.value);
  if (state === 'ascending') url.searchParams.delete('sort');
  else url.searchParams.set('sort', state === 'descending' ? field : `-${field}`);
  return (
    <span role="columnheader" aria-sort={state} class={`run-figure run-${field}`}>
      <a href={url.pathname + url.search} class="sort">
        {title}
        <span aria-hidden="true">{state === 'none' ? '' : state === 'ascending' ? ' ↑' : ' ↓'}</span>
      </a>
    </span>
  );
}

interface LineProperties {
  listed: ListedRun;
  onFold: () => void;
  isSelected: boolean;
  isMarked: boolean;
  onMark: () => void;
}

function RunLine({ listed: { run, depth, below, isOpen }, onFold, isSelected, isMarked, onMark }: LineProperties) {
  const state = stateOf(run);
  const until = waitsUntil(run);
  const took = run.duration_ms ?? (run.status === 'running' ? Math.max(0, now.value - run.started_at) : undefined);
  const tokens = figure(run, 'tokens');
  const title = oneLine(run.title, 200) || '(no prompt)';
  // Labels that a person gave come before those that every run in a repository has.
  const [given, found] = [
    labelsOf(run).filter(([key]) => !key.startsWith('git.')),
    labelsOf(run).filter(([key]) => key === 'git.branch'),
  ];
  const about = [run.agent, run.model, ...[...given, ...found].slice(0, 3).map(([key, value]) => `${key}=${value}`)];
  return (
    <div class={`run-row ${isSelected ? 'is-selected' : ''}`} role="row">
      <span role="cell" class="run-mark">
        <input
          type="checkbox"
          checked={isMarked}
          onChange={onMark}
          aria-label={`Mark ${shortId(run.id)} for comparison`}
        />
      </span>
      <span role="cell" class={`run-state text-${state}`} title={endInWords(run)}>
        <Dot state={state} /> {endInAWord(run)}
        {until === undefined ? null : <small>{clockTime(until)}</small>}
      </span>
      <span role="cell" class="run-what" style={{ paddingInlineStart: `${Math.min(depth, 6) * 34}px` }}>
        {below === 0 ? null : (
          <button
            type="button"
            class="quiet fold"
            aria-expanded={isOpen}
            aria-label={`${plural(below, 'run')} below ${shortId(run.id)}`}
            onClick={onFold}
          >
            {isOpen ? '▾' : '▸'}
          </button>
        )}
        <a class="run-title" href={`/runs/${run.id}`}>
          {title}
        </a>
        <small>
          <code>{shortId(run.id)}</code>{' '}
          {run.children === undefined ? null : (
            <>
              <a href={`/runs/${run.id}/tree`}>{plural(run.children.runs, 'run')} below</a>
              {' · '}
            </>
          )}
          {oneLine(about.filter(Boolean).join(' · '), 160)}
        </small>
      </span>
      <span role="cell" class="run-figure run-started_at" title={dateTime(run.started_at)}>
        {ago(run.started_at, now.value)}
      </span>
      <span role="cell" class="run-figure run-duration_ms">
        {took === undefined ? '' : compactDuration(took)}
      </span>
      <span role="cell" class="run-figure run-cost">
        {run.cost === undefined ? (
          run.status === 'running' ? (
            ''
          ) : (
            <span class="muted">unpriced</span>
          )
        ) : (
          costInWords({ ...run, cost: run.cost })
        )}
      </span>
      <span role="cell" class="run-figure run-tokens">
        {tokens === undefined ? '' : compactCount(tokens)}
      </span>
      <span role="cell" class="run-figure run-tool_calls">
        {run.tool_calls ?? ''}
      </span>
    </div>
  );
}
