import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { costInWords, seconds } from '../../src/terminal/figures.ts';
import type { RunRecord } from '../api.ts';
import type { RunModel } from '../model/run-model.ts';
import { Dot, now } from '../parts/common.tsx';
import { oneLine } from '../parts/plain-text.ts';
import { source } from '../parts/source.ts';
import { endInWords, shortId, type State, stateOf } from '../parts/words.ts';

/** How much of the window the bar covers: lists scroll below it, and what sticks stays under it. */
export const barHeight = signal(42);

interface Properties {
  run: RunRecord;
  model: RunModel;
  /** The first view says all of it below: it needs no line about the run. */
  isResult: boolean;
  /** Buttons of the run. */
  actions: ComponentChildren;
  /** The tabs. */
  children: ComponentChildren;
}

/** What must be known in every view: the state, the time, the cost, and how to stop it. */
export function RunBar({ run, model, isResult, actions, children }: Properties) {
  void model.version.value;
  const box = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const measure = (): void => {
      const height = box.current?.offsetHeight ?? 0;
      barHeight.value = height;
      document.documentElement.style.setProperty('--bar-height', `${height}px`);
    };
    measure();
    const resized = new ResizeObserver(measure);
    if (box.current !== null) resized.observe(box.current);
    return () => resized.disconnect();
  }, []);
  const { state, words } = stateNow(run, model);
  const { took, cost } = figuresOf(run, model);
  const figures = [took === undefined ? '' : seconds(took), cost ?? ''].filter(Boolean);
  return (
    <header class={`run-bar ${isResult ? 'is-result' : ''}`} ref={box}>
      <div class="bar-first">
        <p class="crumbs">
          {source.value.isReport ? null : (
            <>
              <a href="/">Runs</a> <span aria-hidden="true">/</span>{' '}
            </>
          )}
          {run.parent_run_id === undefined || source.value.isReport ? null : (
            <>
              <a href={`/runs/${run.parent_run_id}`}>{shortId(run.parent_run_id)}</a>{' '}
              <span aria-hidden="true">/</span>{' '}
            </>
          )}
          <code>{shortId(run.id)}</code>
        </p>
        <h1 class={`verdict text-${state}`}>
          <Dot state={state} /> {words}
          {run.exit_code === undefined || run.exit_code === 0 ? null : <small> exit {run.exit_code}</small>}
        </h1>
        <p class="bar-figures">{figures.join(' · ')}</p>
        <p class="bar-about">{run.status === 'running' ? lastStep(model) : isResult ? '' : oneLine(run.title, 160)}</p>
        {actions}
      </div>
      {children}
    </header>
  );
}

/** How it ended, or whether it works, waits for a limit, or was paused: the records know sooner than the row. */
function stateNow(run: RunRecord, { pause, lastSeq }: RunModel): { state: State; words: string } {
  if (run.status === 'running' && pause?.reason === 'person') return { state: 'warn', words: 'Paused' };
  const shown = run.status === 'running' && lastSeq > 0 ? { ...run, waits_until: pause?.until ?? 0 } : run;
  return { state: stateOf(shown), words: endInWords(shown) };
}

/** The time and the cost of a run so far, or of all of it. */
export function figuresOf(run: RunRecord, model: RunModel): { took?: number | undefined; cost?: string | undefined } {
  const isLive = run.status === 'running';
  const cost = run.cost ?? (isLive ? model.tokens.cost : undefined);
  return {
    took: run.duration_ms ?? (isLive ? Math.max(0, now.value - run.started_at) : undefined),
    cost: cost === undefined ? undefined : costInWords({ cost, cost_is: run.cost_is }),
  };
}

function lastStep({ last: row }: RunModel): string {
  if (row === undefined) return 'It has not said anything yet.';
  if (row.isOpen && row.kind === 'notice') return `Waiting: ${oneLine(row.text, 160)}`;
  if (row.tool !== undefined)
    return row.isOpen
      ? `Now: ${row.tool.name} ${oneLine(row.tool.about, 120)}`
      : `Last: ${row.tool.name} ${oneLine(row.tool.about, 120)}. Waiting for the model.`;
  if (row.kind === 'text' || row.kind === 'reasoning')
    return row.isOpen ? 'Now: writing.' : 'Last: wrote text. Waiting for the next step.';
  return row.kind === 'turn' ? `${row.label}: waiting for the model.` : `Last: ${oneLine(row.label, 120)}`;
}
