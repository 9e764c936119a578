import { useMemo } from 'preact/hooks';
import { compactDuration } from '../../src/terminal/figures.ts';
import type { Row, ToolPart } from '../model/row.ts';
import { RowFold } from '../model/row-fold.ts';
import { Dot, useAnswer } from '../parts/common.tsx';
import { differences } from '../parts/differences.ts';
import { oneLine } from '../parts/plain-text.ts';
import { source } from '../parts/source.ts';
import type { State } from '../parts/words.ts';

interface Step {
  name: string;
  about: string;
  /** What it changes, shortened to a number: two edits of one file may differ. */
  change: string;
  /** The same for each file. */
  edits: readonly (readonly [path: string, change: string])[];
  state: State;
  took: number | undefined;
  seq: number;
}

const mostSteps = 1000;
const pageLength = 500;

const states: Record<Row['tone'], State> = { good: 'good', bad: 'bad', warn: 'warn', info: 'running' };

/** What an edit was asked to do and, where it is known, what became of it; ids and times are not a part of either. */
function changeOf({ args, files }: ToolPart): string {
  const changes = files.map(({ path, operation, diff = '' }) => [path, operation, diff]);
  return JSON.stringify([args, changes]);
}

/** Enough to tell texts apart; nothing is proved by it. */
function digest(text: string): string {
  let [one, other] = [0x811c9dc5, 0];
  for (let at = 0; at < text.length; at += 1) {
    one = Math.imul(one ^ text.charCodeAt(at), 0x01000193);
    other = (Math.imul(other, 31) + text.charCodeAt(at)) | 0;
  }
  return `${one >>> 0}.${other >>> 0}`;
}

/** The tool calls of a run, in order. */
async function stepsOf(id: string): Promise<Step[]> {
  const steps = new Map<number, Step>();
  // Two runs work in two folders: what is in them is named from there.
  let folder = '';
  const without = (text: string): string => (folder === '' ? text : text.replaceAll(folder, ''));
  function write({ index, kind, isNested, tool, tone, seq }: Row): void {
    if (kind !== 'tool' || isNested || tool === undefined || (steps.size >= mostSteps && !steps.has(index))) return;
    steps.set(index, {
      name: tool.name,
      about: without(tool.about).slice(0, 300),
      change: tool.kind === 'file_edit' ? digest(without(changeOf(tool))) : '',
      edits: tool.files.map(({ path, diff }) => [path, digest(diff ?? without(changeOf(tool)))]),
      state: states[tone],
      took: tool.durationMs,
      seq,
    });
  }
  const fold = new RowFold({ onRow: write, onRowEnd: write, onEdit: () => {} }, 1000);
  for (;;) {
    const page = await source.value.records(id, fold.lastSeq, pageLength);
    for (const record of page) {
      if (record.type === 'thread.started' && (record.cwd?.length ?? 0) > 1) folder = `${record.cwd ?? ''}/`;
      fold.feed(record);
    }
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
  const keys = (steps: readonly Step[]): string[] =>
    steps.map(({ name, about, change }) => `${name}\n${about}\n${change}`);
  const pairs: Pair[] = [];
  let [left, right] = [0, 0];
  let only: Step[] = [];
  function flush(): void {
    for (const step of only) pairs.push({ kind: 'removed', a: step });
    only = [];
  }
  for (const { kind, value } of differences(keys(a), keys(b))) {
    if (kind === 'removed') {
      flush();
      only = a.slice(left, (left += value.length));
    } else if (kind === 'added') {
      for (const step of b.slice(right, (right += value.length))) {
        const same = only.findIndex(({ name, about }) => name === step.name && about === step.about);
        const at = same < 0 ? only.findIndex(({ name }) => name === step.name) : same;
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

export interface BothSteps {
  answer?: readonly [a: readonly Step[], b: readonly Step[]];
  error?: Error;
}

/** What both runs did; nothing if one of them has no tape. */
export function useSteps(a: string, b: string): BothSteps {
  return useAnswer(async () => Promise.all([stepsOf(a), stepsOf(b)]), [a, b]);
}

/** The files that both changed, but not in the same way, as far as their edits were reported. */
export function changedDifferently({ answer }: BothSteps): ReadonlySet<string> {
  const [one, other] = (answer ?? []).map((steps) => {
    const changes = new Map<string, string>();
    for (const [path, change] of steps.flatMap(({ edits }) => edits))
      changes.set(path, `${changes.get(path) ?? ''} ${change}`);
    return changes;
  });
  return new Set(
    [...(one ?? [])].flatMap(([path, change]) => (other?.has(path) && other.get(path) !== change ? [path] : [])),
  );
}

/** Both runs step by step. */
export function Steps({ a, b, both: { answer, error } }: { a: string; b: string; both: BothSteps }) {
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
            <StepCell step={one} id={a} isOther={isOtherEdit(one, other)} />
            <StepCell step={other} id={b} isOther={isOtherEdit(one, other)} />
          </div>
        ))}
      </div>
    </>
  );
}

/** Both edit the same file, and not in the same way. */
function isOtherEdit(a: Step | undefined, b: Step | undefined): boolean {
  return a !== undefined && b !== undefined && a.about === b.about && a.change !== b.change;
}

function StepCell({ step, id, isOther }: { step: Step | undefined; id: string; isOther: boolean }) {
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
      {isOther ? <span class="step-other">another edit</span> : null}
      <span class="step-took">{step.took === undefined ? '' : compactDuration(step.took)}</span>
    </span>
  );
}
