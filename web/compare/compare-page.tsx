import { useEffect } from 'preact/hooks';
import { compactCount, compactDuration, dollars } from '../../src/terminal/figures.ts';
import type { RunDiff, RunRecord } from '../api.ts';
import { Dot, Problem, setTab, useAnswer } from '../parts/common.tsx';
import { source } from '../parts/source.ts';
import { useKeys } from '../parts/keys.ts';
import { oneLine, visible } from '../parts/plain-text.ts';
import { endInWords, shortId, stateOf } from '../parts/words.ts';
import { go } from '../route.ts';
import { changedDifferently, Steps, useSteps } from './steps.tsx';

type Change = RunDiff['tools'][number];

/** Two runs side by side: their outcomes, their steps in order, their answers. */
export function ComparePage({ a, b }: { a: string; b: string }) {
  const { answer, error, again } = useAnswer(
    async () => ({
      runs: await Promise.all([source.value.run(a), source.value.run(b)]),
      diff: await source.value.diff(a, b),
    }),
    [a, b],
  );
  const both = useSteps(a, b);
  const others = changedDifferently(both);
  useEffect(() => setTab(`${shortId(a)} and ${shortId(b)} · Runwire`, 'idle'), [a, b]);
  useKeys([
    { key: 's', what: 'Swap sides', run: () => go(`/compare/${b}/${a}`) },
    { key: 'u', what: 'Back to all runs', run: () => go('/') },
  ]);
  if (error !== undefined) return <Problem error={error} again={again} />;
  if (answer === undefined) return <p class="loading">Comparing…</p>;
  const { runs, diff } = answer;
  return (
    <main class="compare-page">
      <p class="crumbs">
        <a href="/">Runs</a> <span aria-hidden="true">/</span> compare
      </p>
      <h1 class="page-title">
        {runs.some(({ status }) => status === 'running')
          ? 'Not both runs have ended'
          : diff.same_class
            ? 'Both ended the same way'
            : 'They ended differently'}
      </h1>
      <div class="compare-heads">
        {runs.map((run) => (
          <section key={run.id} class="compare-head" aria-label={`Run ${shortId(run.id)}`}>
            <p class={`verdict-small text-${stateOf(run)}`}>
              <Dot state={stateOf(run)} /> {endInWords(run)}
            </p>
            <p>
              <a href={`/runs/${run.id}`}>{oneLine(run.title, 160) || '(no prompt)'}</a>
            </p>
            <p class="muted">
              <code>{shortId(run.id)}</code> {oneLine([run.agent, run.model].filter(Boolean).join(' · '), 100)}
            </p>
          </section>
        ))}
      </div>
      <Figures a={runs[0]} b={runs[1]} />
      <section aria-labelledby="compare-tools">
        <h2 id="compare-tools">Step by step</h2>
        {runs.some(({ tape }) => tape === undefined) ? (
          <Aligned changes={diff.tools} isCode />
        ) : (
          <Steps a={runs[0].id} b={runs[1].id} both={both} />
        )}
      </section>
      <section aria-labelledby="compare-files">
        <h2 id="compare-files">Files</h2>
        <Aligned changes={diff.files} isCode isOther={(line) => others.has(line.slice(line.indexOf(' ') + 1))} />
      </section>
      <section aria-labelledby="compare-answers">
        <h2 id="compare-answers">Answers</h2>
        <Aligned changes={diff.answer} />
      </section>
    </main>
  );
}

const figures: readonly (readonly [
  name: string,
  read: (run: RunRecord) => number | undefined,
  write: (value: number) => string,
])[] = [
  ['Time', (run) => run.duration_ms, compactDuration],
  ['Cost', (run) => run.cost, (value) => dollars(value)],
  ['Tokens in', (run) => run.input_tokens, compactCount],
  ['Tokens out', (run) => run.output_tokens, compactCount],
  ['Turns', (run) => run.turns, String],
  ['Tool calls', (run) => run.tool_calls, String],
  ['Changed files', (run) => run.artifacts, String],
  ['Warnings', (run) => run.warnings, String],
];

function Figures({ a, b }: { a: RunRecord | undefined; b: RunRecord | undefined }) {
  if (a === undefined || b === undefined) return null;
  return (
    <table class="compare-figures">
      <thead>
        <tr>
          <th scope="col">
            <span class="sr-only">Figure</span>
          </th>
          <th scope="col">
            <code>{shortId(a.id)}</code>
          </th>
          <th scope="col">
            <code>{shortId(b.id)}</code>
          </th>
          <th scope="col">Difference</th>
        </tr>
      </thead>
      <tbody>
        {figures.map(([name, read, write]) => {
          const [one, other] = [read(a), read(b)];
          if (one === undefined && other === undefined) return null;
          return (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{one === undefined ? 'unknown' : write(one)}</td>
              <td>{other === undefined ? 'unknown' : write(other)}</td>
              <td>{difference(one, other)}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function difference(one: number | undefined, other: number | undefined): string {
  if (one === undefined || other === undefined) return '';
  if (one === other) return 'the same';
  if (one === 0) return '';
  const share = other / one - 1;
  return share >= 1 ? `× ${(other / one).toFixed(1)}` : `${share > 0 ? '+' : '−'}${Math.round(Math.abs(share) * 100)}%`;
}

const linesShown = 400;

/** Equal lines share a row; a line that only one run has stands on its side. */
interface AlignedProperties {
  changes: readonly Change[];
  isCode?: boolean;
  /** Whether what both have is another thing in each. */
  isOther?: (line: string) => boolean;
}

function Aligned({ changes, isCode = false, isOther = () => false }: AlignedProperties) {
  const rows: { kind: Change['kind'] | 'changed'; a?: string; b?: string }[] = [];
  for (let at = 0; at < changes.length; at += 1) {
    const change = changes[at];
    const next = changes[at + 1];
    if (change === undefined) continue;
    if (change.kind === 'removed' && next?.kind === 'added') {
      for (let line = 0; line < Math.max(change.value.length, next.value.length); line += 1) {
        const [a, b] = [change.value[line], next.value[line]];
        rows.push({
          kind: a === undefined ? 'added' : b === undefined ? 'removed' : 'changed',
          ...(a === undefined ? {} : { a }),
          ...(b === undefined ? {} : { b }),
        });
      }
      at += 1;
    } else
      for (const value of change.value)
        rows.push({
          kind: change.kind === 'same' && isOther(value) ? 'changed' : change.kind,
          ...(change.kind === 'added' ? {} : { a: value }),
          ...(change.kind === 'removed' ? {} : { b: value }),
        });
  }
  if (rows.every(({ a = '', b = '' }) => a === '' && b === '')) return <p class="muted">Neither has any.</p>;
  return (
    <div class={`aligned ${isCode ? 'is-code' : ''}`} role="table">
      {rows.slice(0, linesShown).map(({ kind, a, b }, index) => (
        <div key={index} role="row" class={`aligned-${kind}`}>
          <span role="cell" class={a === undefined ? 'is-none' : ''}>
            {a === undefined ? <span class="sr-only">nothing</span> : visible(a)}
            {kind === 'changed' && a === b ? <span class="step-other"> in another way</span> : null}
          </span>
          <span role="cell" class={b === undefined ? 'is-none' : ''}>
            {b === undefined ? <span class="sr-only">nothing</span> : visible(b)}
            {kind === 'changed' && a === b ? <span class="step-other"> in another way</span> : null}
          </span>
        </div>
      ))}
      {rows.length > linesShown ? (
        <div role="row">
          <span role="cell" class="muted">
            … {rows.length - linesShown} more
          </span>
        </div>
      ) : null}
    </div>
  );
}
