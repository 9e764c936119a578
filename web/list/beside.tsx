import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { ago } from '../../src/terminal/figures.ts';
import type { RunSummary } from '../api.ts';
import { Dot, now, useAnswer } from '../parts/common.tsx';
import { useKeys } from '../parts/keys.ts';
import { oneLine } from '../parts/plain-text.ts';
import { source } from '../parts/source.ts';
import { useWide } from '../parts/wide.ts';
import { endInAWord, newer, shortId, stateOf } from '../parts/words.ts';
import { go } from '../route.ts';
import { grouped } from './grouped.ts';

/** The filters of the list that was seen last. */
export const lastFilters = signal('');

const wideFrom = 1400;
const runsShown = 50;
const storageKey = 'runwire.beside';

function remembered(): boolean {
  try {
    return localStorage.getItem(storageKey) !== 'off';
  } catch {
    return true;
  }
}

/** Where there is room, the list stands beside a run. */
export function Beside({ id, children }: { id: string; children: ComponentChildren }) {
  const hasRoom = useWide(wideFrom) && !source.value.isReport;
  const [isWanted, setWanted] = useState(remembered);
  function change(): void {
    setWanted(!isWanted);
    try {
      localStorage.setItem(storageKey, isWanted ? 'off' : 'on');
    } catch {
      // Without storage the choice lasts as long as the page.
    }
  }
  useKeys(hasRoom ? [{ key: 'b', what: 'Show or hide the list beside the run', run: change }] : []);
  return (
    <div class={hasRoom && isWanted ? 'split' : ''}>
      {hasRoom && isWanted ? <Runs key="runs" id={id} onHide={change} /> : null}
      {children}
    </div>
  );
}

function Runs({ id, onHide }: { id: string; onHide: () => void }) {
  const { answer, error, again } = useAnswer(() => {
    const query = new URLSearchParams(lastFilters.value);
    query.set('limit', String(runsShown));
    query.set('live', '1');
    return source.value.runs(query);
  }, [lastFilters.value]);
  const [live, setLive] = useState<ReadonlyMap<string, RunSummary>>(new Map());
  useEffect(
    () => source.value.live((run) => setLive((before) => new Map(before).set(run.id, run)), again),
    [lastFilters.value],
  );
  const listed = useMemo(() => {
    const known = answer?.runs ?? [];
    const ids = new Set(known.map((run) => run.id));
    const fresh = lastFilters.value === '' ? [...live.values()].filter((run) => !ids.has(run.id)) : [];
    const runs = [...fresh, ...known.map((run) => newer(run, live.get(run.id)))].toSorted(
      (a, b) => Number(b.status === 'running') - Number(a.status === 'running') || b.started_at - a.started_at,
    );
    return grouped(runs, new Set());
  }, [answer, live]);
  function step(by: number): void {
    const at = listed.findIndex(({ run }) => run.id === id);
    const next = listed[at < 0 ? 0 : at + by];
    if (next !== undefined) go(`/runs/${next.run.id}`);
  }
  useKeys([
    { key: 'J', what: 'Next run of the list', run: () => step(1) },
    { key: 'K', what: 'Previous run of the list', run: () => step(-1) },
  ]);
  return (
    <nav class="beside" aria-label="Runs">
      <p class="beside-head">
        <a href={lastFilters.value === '' ? '/' : `/?${lastFilters.value}`}>
          {lastFilters.value === '' ? 'All runs' : 'Filtered runs'}
        </a>
        <button type="button" class="quiet" onClick={onHide}>
          Hide <kbd>b</kbd>
        </button>
      </p>
      {error !== undefined && answer === undefined ? <p class="text-bad">{error.message}</p> : null}
      <ol>
        {listed.map(({ run, depth }) => (
          <li key={run.id} style={{ paddingInlineStart: `${Math.min(depth, 4) * 14}px` }}>
            <a href={`/runs/${run.id}`} aria-current={run.id === id ? 'page' : undefined}>
              <Dot state={stateOf(run)} />
              <span class="beside-title">{oneLine(run.title, 120) || shortId(run.id)}</span>
              <small>
                {endInAWord(run)} · {oneLine(run.agent ?? shortId(run.id), 30)} · {ago(run.started_at, now.value)}
              </small>
            </a>
          </li>
        ))}
      </ol>
    </nav>
  );
}
