import { diffArrays } from 'diff';
import { useMemo } from 'preact/hooks';
import { compactDuration } from '../../src/terminal/figures.ts';
import type { Row } from '../model/row.ts';
import { RowFold } from '../model/row-fold.ts';
import { Dot, useAnswer } from '../parts/common.tsx';
import { oneLine } from '../parts/plain-text.ts';
import { source } from '../parts/source.ts';
import type { State } from '../parts/words.ts';

interface Step {
  name: string;
  about: string;
  state: State;
  took: number | undefined;
  seq: number;
}

const mostSteps = 1000;
const pageLength = 500;
const patienceMs = 500;

const states: Record<Row['tone'], State> = { good: 'good', bad: 'bad', warn: 'warn', info: 'running' };

/** The tool calls of a run, in order. */
async function stepsOf(id: string): Promise<Step[]> {
  const steps = new Map<number, Step>();
  function write({ index, kind, isNested, tool, tone, seq }: Row): void {
    if (kind !== 'tool' || isNested || tool === undefined || (steps.size >= mostSteps && !steps.has(index))) return;
    steps.set(index, {
      name: tool.name,
      about: tool.about.slice(0, 300),
      state: states[tone],
      took: tool.durationMs,
      seq,
    });
  }
  const fold = new RowFold({ onRow: write, onRowEnd: write, onEdit: () => {} }, 1000);
  for (;;) {
    const page = await source.value.records(id, fold.lastSeq, pageLength);
    for (const record of page) fold.feed(record);
    if (page.length < pageLength || steps.size >= mostSteps) return [...steps.values()];
  }
}

interface Pair {
  kind: 'same' | 'changed' | 'removed' | 'added';
  a?: Step | undefined;
  b?: Step | undefined;
}

/** Pairs equal calls; between them stand calls that only one run made, and calls to the same tool with different input. */
function aligned(a: readonly Step[], b: readonly Step[]): Pair[] {
  const keys = (steps: readonly Step[]): string[] => steps.map(({ name, about }) => `${name}\n${about}`);
  const changes = diffArrays(keys(a), keys(b), { timeout: patienceMs }) ?? [
    { removed: true, added: false, value: keys(a) },
    { removed: false, added: true, value: keys(b) },
  ];
  const pairs: Pair[] = [];
  let [left, right] = [0, 0];
  let only: Step[] = [];
  function flush(): void {
    for (const step of only) pairs.push({ kind: 'removed', a: step });
    only = [];
  }
  for (const { added, removed, value } of changes) {
    if (removed) {
      flush();
      only = a.slice(left, (left += value.length));
    } else if (added) {
      for (const step of b.slice(right, (right += value.length))) {
        const at = only.findIndex(({ name }) => name === step.name);
        if (at < 0) pairs.push({ kind: 'added', b: step });
        else {
          for (const each of only.splice(0, at)) pairs.push({ kind: 'removed', a: each });
          pairs.push({ kind: 'changed', a: only.shift(), b: step });
        }
      }
      flush();
    } else {
      flush();
      for (let each = 0; each < value.length; each += 1) pairs.push({ kind: 'same', a: a[left++], b: b[right++] });
    }
  }
  flush();
  return pairs;
}

/** Both runs step by step. Shows nothing if one of them has no tape. */
export function Steps({ a, b }: { a: string; b: string }) {
  const { answer, error } = useAnswer(async () => Promise.all([stepsOf(a), stepsOf(b)]), [a, b]);
  const pairs = useMemo(() => (answer === undefined ? [] : aligned(answer[0], answer[1])), [answer]);
  if (error !== undefined) return <p class="muted">The steps could not be read: {error.message}</p>;
  if (answer === undefined) return <p class="muted">Reading what they did…</p>;
  if (pairs.length === 0) return <p class="muted">Neither called any tool.</p>;
  const isCut = answer.some((steps) => steps.length >= mostSteps);
  const same = pairs.filter(({ kind }) => kind === 'same').length;
  return (
    <>
      <p class="muted">
        {same === pairs.length ? 'The same calls in the same order.' : `${same} of ${pairs.length} steps are the same.`}
        {isCut ? ` Only the first ${mostSteps} calls of each run are compared.` : ''}
      </p>
      <div class="aligned is-code" role="table" aria-label="Steps">
        {pairs.map(({ kind, a: one, b: other }, index) => (
          <div key={index} role="row" class={`aligned-${kind}`}>
            <StepCell step={one} id={a} />
            <StepCell step={other} id={b} />
          </div>
        ))}
      </div>
    </>
  );
}

function StepCell({ step, id }: { step: Step | undefined; id: string }) {
  if (step === undefined)
    return (
      <span role="cell" class="is-none">
        <span class="sr-only">nothing</span>
      </span>
    );
  return (
    <span role="cell" class="step">
      <Dot state={step.state} />
      <a href={`/runs/${id}?view=events#e${step.seq}`}>{oneLine(step.name, 40)}</a>
      <span class="step-about">{oneLine(step.about, 200)}</span>
      <span class="step-took">{step.took === undefined ? '' : compactDuration(step.took)}</span>
    </span>
  );
}
