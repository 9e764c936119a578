import { useEffect } from 'preact/hooks';
import { compactDuration, plural } from '../../src/terminal/figures.ts';
import type { RunRecord, TreeRun } from '../api.ts';
import type { ChangedFile, RunModel } from '../model/run-model.ts';
import { useAnswer } from '../parts/common.tsx';
import { oneLine } from '../parts/plain-text.ts';
import { source } from '../parts/source.ts';
import { shortId } from '../parts/words.ts';
import { pathWith } from '../route.ts';
import { withoutColours } from '../parts/terminal-commands.ts';
import type { Row } from '../model/row.ts';
import { type Branch, Contestants, contestantsOf } from '../tree/contestants.tsx';
import { MarkedAnswer } from './claims.tsx';
import { Expectations, WhatToTry } from './next.tsx';
import { shares } from './spans.ts';
import { Strip } from './strip.tsx';
import type { View } from './run-page.tsx';

/** The second layer, what the run produced, with the third summarised in one line. */
export function Result({ run, model, onShow }: { run: RunRecord; model: RunModel; onShow: (view: View) => void }) {
  const answer = run.outcome?.message ?? model.lastWords;
  const files = filesOf(run, model);
  const branches = (run.outcome?.lineage ?? model.lineage.report())?.branches ?? [];
  const below = useChildren(run, branches);
  const contestants = contestantsOf(run, branches, below);
  const isKept = contestants.length === 0 && branches.length > 0;
  const trouble = onceEach(model.troubles, run);
  return (
    <div class="result">
      <WhatToTry run={run} />
      <Expectations run={run} />
      {trouble.length === 0 ? null : (
        <section aria-labelledby="trouble">
          <h2 id="trouble">What went wrong along the way</h2>
          <ul class="trouble">
            {trouble.map((row) => (
              <li key={row.seq}>
                <a href={`${pathWith({ view: 'events' })}#e${row.seq}`}>
                  <span class="text-bad" aria-hidden="true">
                    ✕
                  </span>{' '}
                  <strong>{oneLine(row.label, 80)}</strong>{' '}
                  {oneLine(row.tool === undefined ? row.text : row.tool.about || (row.tool.error ?? ''), 160)}
                  {row.tool === undefined ? null : <code class="last-words">{lastLines(row)}</code>}
                </a>
              </li>
            ))}
            {model.troubleCount > model.troubles.length ? (
              <li>
                <button type="button" class="quiet" onClick={() => onShow('events')}>
                  {model.troubleCount - model.troubles.length} more, in the transcript
                </button>
              </li>
            ) : null}
          </ul>
        </section>
      )}
      <Contestants all={contestants} />
      <section aria-labelledby="answer">
        <h2 id="answer">Answer</h2>
        {answer === '' ? (
          <p class="muted">
            {run.status === 'running'
              ? 'None yet. What it has said so far is in the transcript (4).'
              : 'It ended without an answer.'}
          </p>
        ) : (
          <MarkedAnswer text={answer} claims={run.outcome?.claims} />
        )}
      </section>
      <section aria-labelledby="files-changed">
        <h2 id="files-changed">
          Files <span class="count">{files.length}</span>
        </h2>
        {files.length === 0 ? (
          <p class="muted">No changed files were reported.</p>
        ) : (
          <ul class="file-list">
            {files.slice(0, 30).map((file) => (
              <li key={file.path}>
                <a href={`${pathWith({ view: 'files' })}#file-${encodeURIComponent(file.path.toWellFormed())}`}>
                  <FileLine file={file} />
                </a>
              </li>
            ))}
            {files.length > 30 ? (
              <li>
                <button type="button" class="quiet" onClick={() => onShow('files')}>
                  {plural(files.length - 30, 'more file')}
                </button>
              </li>
            ) : null}
          </ul>
        )}
      </section>
      {!isKept ? null : (
        <section aria-labelledby="branches">
          <h2 id="branches">Branches</h2>
          <ul class="branches">
            {branches.map((branch) => (
              <li key={branch.branch_id}>
                <code>{oneLine(branch.branch_id, 120)}</code>
                <span>{oneLine(branchInWords(branch), 400)}</span>
                {branch.run_id === undefined || source.value.isReport ? null : (
                  <a href={`/runs/${branch.run_id}`}>run {shortId(branch.run_id)}</a>
                )}
              </li>
            ))}
          </ul>
        </section>
      )}
      <section aria-labelledby="time-short">
        <h2 id="time-short">Where the time went</h2>
        <TimeInWords model={model} />
        {model.firstAt === undefined || model.firstAt === model.lastAt ? null : (
          <button type="button" class="strip-button" aria-label="Open the timeline" onClick={() => onShow('time')}>
            <Strip model={model} />
          </button>
        )}
      </section>
    </div>
  );
}

/** The runs right below, which are asked for only where there is reason to. */
function useChildren(run: RunRecord, branches: readonly Branch[]): TreeRun[] {
  const hasChildren =
    !source.value.isReport &&
    (run.children !== undefined || branches.some(({ run_id: id }) => id !== undefined && id !== run.id));
  const { answer = [], again } = useAnswer(
    async () => (hasChildren ? source.value.children(run.id) : []),
    [run.id, run.status, hasChildren],
  );
  // What goes on below a run is told by its own row, not by the records of this one.
  useEffect(() => {
    if (!hasChildren || run.status !== 'running') return;
    return source.value.live((each) => (each.parent_run_id === run.id ? again() : undefined), again);
  }, [run.id, run.status, hasChildren]);
  return answer;
}

const linesShown = 3;

/** The end of what a failed call printed: that is where the reason stands. */
function lastLines({ text, tool }: Row): string {
  const words = text === '' ? (tool?.error ?? '') : text;
  const lines = withoutColours(words.slice(-4000))
    .split('\n')
    .filter((line) => line.trim() !== '');
  return lines
    .slice(-linesShown)
    .map((line) => oneLine(line, 200))
    .join('\n');
}

/** A problem that the verdict already names, or that came before in the same words, is not repeated. */
function onceEach(troubles: readonly Row[], run: RunRecord): Row[] {
  const known = (run.outcome?.verdict.evidence ?? []).map(({ detail }) => oneLine(detail, 400)).join('\n');
  const seen = new Set<string>();
  return troubles.filter((row) => {
    const words = oneLine(row.tool === undefined ? row.text.replace(/^HTTP \d{3}\n/, '') : '', 200);
    if (words === '') return true;
    if (known.includes(words) || seen.has(words)) return false;
    seen.add(words);
    return true;
  });
}

function branchInWords({ winner, agent, status, verified, files, remarks }: Branch): string {
  return [
    winner === true ? 'winner' : undefined,
    agent,
    status?.replaceAll('_', ' '),
    verified === undefined ? undefined : `check ${verified.replaceAll('_', ' ')}`,
    files === undefined ? undefined : plural(files, 'file'),
    remarks,
  ]
    .filter(Boolean)
    .join(' · ');
}

export function TimeInWords({ model }: { model: RunModel }) {
  void model.version.value;
  const { total, tools, retries, leftOut, around } = shares(model);
  if (total === undefined) return <p class="muted">The times of this run are unknown: its stream has none.</p>;
  const part = (ms: number): string => `${compactDuration(ms)} (${Math.round((ms / Math.max(1, total)) * 100)}%)`;
  return (
    <p class="time-words">
      {compactDuration(total)} from the first event to the last: <span class="key key-model" aria-hidden="true" /> the
      model {part(total - tools - retries - leftOut - around)}, <span class="key key-tool" aria-hidden="true" /> tools{' '}
      {part(tools)}
      {around >= total / 100 ? `, start and end ${part(around)}` : ''}
      {retries > 0 ? `, waiting to retry ${part(retries)}` : ''}
      {leftOut > 0 ? `, in events that this report leaves out ${part(leftOut)}` : ''}
    </p>
  );
}

/** The files that the ledger lists, and those that the records report while it runs. */
export function filesOf(run: RunRecord, model: RunModel): ChangedFile[] {
  const files = new Map(model.files);
  for (const { path, operation } of run.outcome?.artifacts ?? [])
    if (!files.has(path)) files.set(path, { path, operation, edits: [] });
  return [...files.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

const letters = { created: 'A', modified: 'M', deleted: 'D' };

export function FileLine({ file }: { file: ChangedFile }) {
  const additions = file.edits.reduce((sum, edit) => sum + (edit.additions ?? 0), 0);
  const deletions = file.edits.reduce((sum, edit) => sum + (edit.deletions ?? 0), 0);
  const isKnown = file.edits.some((edit) => edit.additions !== undefined || edit.deletions !== undefined);
  return (
    <span class="file-line">
      <span class="file-letter" title={file.operation}>
        {letters[file.operation] ?? '?'}
        <span class="sr-only"> {file.operation}</span>
      </span>
      <span class="file-path">
        <bdi>{oneLine(file.path, 400)}</bdi>
      </span>
      {isKnown ? (
        <span class="file-change">
          <span class="text-good">+{additions}</span> <span class="text-bad">−{deletions}</span>
        </span>
      ) : null}
      {file.edits.length > 1 ? <small class="muted">{file.edits.length} edits</small> : null}
    </span>
  );
}
