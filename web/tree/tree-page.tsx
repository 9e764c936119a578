import { useEffect, useState } from 'preact/hooks';
import { compactCount, compactDuration, costInWords, plural } from '../../src/terminal/figures.ts';
import type { TreeRun } from '../api.ts';
import { Dot, Empty, now, Problem, setTab, useAnswer } from '../parts/common.tsx';
import { source } from '../parts/source.ts';
import { useKeys } from '../parts/keys.ts';
import { oneLine } from '../parts/plain-text.ts';
import { endInAWord, endInWords, newer, shortId, stateOf } from '../parts/words.ts';
import { Contestants, contestantsOf } from './contestants.tsx';
import { go } from '../route.ts';

const timelinesShown = 60;
/** How often the timeline of a live run is requested. */
const timelineMs = 3000;

/** A run and everything it started: one line each, on one time axis. */
export function TreePage({ id }: { id: string }) {
  const { answer, error, again } = useAnswer(
    async () => Promise.all([source.value.run(id), source.value.children(id)]),
    [id],
  );
  const [top, below = []] = answer ?? [];
  const [live, setLive] = useState<ReadonlyMap<string, TreeRun>>(new Map());
  const [selected, setSelected] = useState(0);
  useEffect(() => source.value.live((run) => setLive((before) => new Map(before).set(run.id, run)), again), [id]);
  const runs =
    top === undefined
      ? []
      : arranged(top, [...below, ...begun(live, [top, ...below])]).map((run) => ({
          ...newer(run, live.get(run.id)),
          depth: run.depth ?? 0,
        }));
  useEffect(
    () =>
      setTab(`Tree of ${shortId(id)} · Runwire`, runs.some(({ status }) => status === 'running') ? 'running' : 'idle'),
    [id, runs.length],
  );

  function select(index: number): void {
    const at = Math.min(Math.max(0, index), runs.length - 1);
    setSelected(at);
    const row = document.querySelectorAll<HTMLElement>('.tree-name a')[at];
    row?.focus();
    row?.scrollIntoView({ block: 'nearest' });
  }
  useKeys([
    { key: 'j', what: 'Next run', run: () => select(selected + 1) },
    { key: 'k', what: 'Previous run', run: () => select(selected - 1) },
    { key: 'u', what: 'Back to the run', run: () => go(`/runs/${id}`) },
  ]);
  if (error !== undefined && top === undefined) return <Problem error={error} again={again} />;
  if (top === undefined) return <p class="loading">Loading the tree…</p>;
  const start = Math.min(...runs.map((run) => run.started_at));
  const end = Math.max(start + 1, ...runs.map((run) => endOf(run, now.value)));
  const cost = runs.reduce((sum, run) => sum + (run.cost ?? 0), 0);
  const cost_is = runs.find((run) => run.cost_is !== undefined)?.cost_is;
  const contestants = contestantsOf(top, top.outcome?.lineage?.branches ?? [], runs);
  const unpriced = runs.filter((run) => run.cost === undefined && run.status !== 'running').length;
  return (
    <main class="tree-page">
      <p class="crumbs">
        <a href="/">Runs</a> <span aria-hidden="true">/</span> <a href={`/runs/${id}`}>{shortId(id)}</a>{' '}
        <span aria-hidden="true">/</span> tree
      </p>
      <h1 class="page-title">{oneLine(top.title, 160) || '(no prompt)'}</h1>
      <p class="muted">
        {plural(runs.length, 'run')}, {compactDuration(end - start)} in all,{' '}
        {cost === 0 && unpriced > 0 ? 'cost unknown' : costInWords({ cost, cost_is })}
        {unpriced > 0 && cost > 0 ? ` (${plural(unpriced, 'run')} unpriced)` : ''}
      </p>
      {runs.length === 1 ? (
        <Empty title="This run started no other runs">
          <p>
            Runs appear here under the one that started them: those of “runwire race” and “runwire orchestrate”, and
            those with --parent.
          </p>
        </Empty>
      ) : null}
      <Contestants all={contestants} />
      {contestants.length === 0 ? null : <h2 class="tree-title">On one axis</h2>}
      <TreeAxis length={end - start} />
      <div class="tree" role="table" aria-label="Tree of runs">
        {runs.map((run, index) => (
          <div key={run.id} class="tree-row" role="row">
            <div role="cell" class="tree-name" style={{ paddingInlineStart: `${Math.min(run.depth, 8) * 18}px` }}>
              <Dot state={stateOf(run)} />
              <a href={`/runs/${run.id}`} title={endInWords(run)}>
                {oneLine(run.title, 120) || shortId(run.id)}
              </a>
              <small>
                <span class={`text-${stateOf(run)}`}>{endInAWord(run)}</span> ·{' '}
                {[run.agent, run.model]
                  .filter(Boolean)
                  .map((word) => oneLine(word ?? '', 40))
                  .join(' · ') || shortId(run.id)}
              </small>
            </div>
            <div role="cell" class="tree-figures">
              <span>{costInWords(run) ?? ''}</span>
              <span>
                {run.input_tokens === undefined ? '' : compactCount(run.input_tokens + (run.output_tokens ?? 0))}
              </span>
            </div>
            <div role="cell" class="tree-track">
              <RunBar run={run} start={start} end={end} hasTimeline={index < timelinesShown} />
            </div>
          </div>
        ))}
      </div>
    </main>
  );
}

/** Runs that began below the known ones since those were read. */
function begun(live: ReadonlyMap<string, TreeRun>, known: readonly TreeRun[]): TreeRun[] {
  const ids = new Set(known.map((run) => run.id));
  // Ids sort by time, and a run begins before what it starts.
  const later = [...live.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1));
  return later.filter((run) => {
    const isBelow = !ids.has(run.id) && run.parent_run_id !== undefined && ids.has(run.parent_run_id);
    if (isBelow) ids.add(run.id);
    return isBelow;
  });
}

const marks = 4;

function TreeAxis({ length }: { length: number }) {
  return (
    <div class="tree-axis" aria-hidden="true">
      {Array.from({ length: marks + 1 }, (_, index) => (
        <span key={index} style={{ left: `${(index / marks) * 100}%` }}>
          {index === 0 ? '0' : compactDuration((length * index) / marks)}
        </span>
      ))}
    </div>
  );
}

function endOf(run: TreeRun, live: number): number {
  const end = run.ended_at ?? (run.status === 'running' ? live : run.started_at + (run.duration_ms ?? 0));
  // The clocks of two machines may differ.
  return Math.max(run.started_at, end);
}

/** Parents before their children, the oldest first; runs that already have a depth keep the server's order. */
function arranged(top: TreeRun, below: readonly TreeRun[]): TreeRun[] {
  const children = new Map<string, TreeRun[]>();
  for (const run of below) {
    if (run.id === top.id) continue;
    const parent = run.parent_run_id ?? top.id;
    children.set(parent, [...(children.get(parent) ?? []), run]);
  }
  const placed: TreeRun[] = [];
  const seen = new Set<string>();
  function place(run: TreeRun, depth: number): void {
    if (seen.has(run.id)) return;
    seen.add(run.id);
    placed.push({ ...run, depth });
    for (const child of (children.get(run.id) ?? []).toSorted((a, b) => a.started_at - b.started_at))
      place(child, depth + 1);
  }
  place(top, 0);
  // A run whose parent is missing still belongs below.
  for (const run of below) place(run, run.depth ?? 1);
  return placed;
}

function RunBar({ run, start, end, hasTimeline }: { run: TreeRun; start: number; end: number; hasTimeline: boolean }) {
  const { answer: timeline, again } = useAnswer(
    async () => (hasTimeline ? source.value.timeline(run.id) : undefined),
    [run.id, run.status, hasTimeline],
  );
  const isRunning = run.status === 'running';
  useEffect(() => void (isRunning && again()), [isRunning ? Math.floor(now.value / timelineMs) : 0]);
  const to = endOf(run, end);
  const width = end - start;
  const left = ((run.started_at - start) / width) * 100;
  const size = Math.max(0.6, ((to - run.started_at) / width) * 100);
  const isLate = left + size > 84;
  // There is no room on either side of the bar.
  const isWide = isLate && left < 16;
  const length = Math.max(1, timeline?.length_ms ?? to - run.started_at);
  return (
    <div class="tree-bar-box">
      <span
        class={`tree-bar tone-${stateOf(run)}`}
        style={{ left: `${Math.min(left, 99.4)}%`, width: `${Math.min(size, 100 - Math.min(left, 99.4))}%` }}
      >
        {(timeline?.entries ?? []).slice(0, 300).map(({ start_ms: at, duration_ms: took, status }, index) =>
          at === undefined ? null : (
            <span
              key={index}
              class={`tree-tool ${status === 'success' || status === undefined ? '' : 'is-bad'}`}
              style={{
                left: `${Math.min(99, (at / length) * 100)}%`,
                width: `${Math.max(0.5, Math.min(100 - (at / length) * 100, ((took ?? 0) / length) * 100))}%`,
              }}
            />
          ),
        )}
      </span>
      <span class="sr-only">
        {compactDuration(to - run.started_at)}, {plural(timeline?.entries.length ?? 0, 'tool call')}
      </span>
      <span
        class={`tree-took ${isWide ? 'is-inside' : ''}`}
        style={
          isWide
            ? { right: `${Math.max(0, 100 - left - size)}%` }
            : isLate
              ? { right: `${100 - left}%` }
              : { left: `${left + size}%` }
        }
        aria-hidden="true"
      >
        {compactDuration(to - run.started_at)}
      </span>
    </div>
  );
}
