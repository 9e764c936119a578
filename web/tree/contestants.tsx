import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { compactCount, compactDuration, costInWords, plural } from '../../src/terminal/figures.ts';
import type { RunRecord, RunSummary, TreeRun } from '../api.ts';
import { RunModel } from '../model/run-model.ts';
import { Dot, now } from '../parts/common.tsx';
import { oneLine } from '../parts/plain-text.ts';
import { source } from '../parts/source.ts';
import { capital, endInWords, shortId, type State, stateOf } from '../parts/words.ts';
import { Edits } from '../run/files.tsx';
import { FileLine, filesOf } from '../run/result.tsx';

export type Branch = NonNullable<NonNullable<RunRecord['outcome']>['lineage']>['branches'][number];

/** One piece of the work of a race or an orchestration: its branch, its run, or both. */
export interface Contestant {
  branch: Branch | undefined;
  run: TreeRun | undefined;
}

/** Those right below a run, in the order in which they began; what came before them is none. */
export function contestantsOf(top: RunSummary, branches: readonly Branch[], below: readonly TreeRun[]): Contestant[] {
  const runs = below.filter((run) => run.parent_run_id === top.id);
  const byId = new Map(runs.map((run) => [run.id, run]));
  const found = branches.flatMap((branch): Contestant[] => {
    const run = byId.get(branch.run_id ?? '');
    if (run === undefined && (branch.agent === undefined || branch.run_id === top.id)) return [];
    byId.delete(branch.run_id ?? '');
    return [{ branch, run }];
  });
  const others = [...byId.values()].toSorted((a, b) => a.started_at - b.started_at);
  return [...found, ...others.map((run) => ({ branch: undefined, run }))];
}

const shownAtFirst = 12;

/** Who worked on it, side by side: the winner first said, then figures that can be compared, then what each changed. */
export function Contestants({ all }: { all: readonly Contestant[] }) {
  const [most, setMost] = useState(shownAtFirst);
  const [isOpen, setOpen] = useState(false);
  if (all.length === 0) return null;
  const shown = all.slice(0, most);
  const winner = all.find(({ branch }) => branch?.winner === true);
  return (
    <section class="contestants" aria-labelledby="contestants">
      <h2 id="contestants">
        Side by side <span class="count">{all.length}</span>
      </h2>
      <ol class="cards">
        {shown.map((each, index) => (
          <Card key={each.run?.id ?? each.branch?.branch_id} of={each} number={index + 1} winner={winner} />
        ))}
      </ol>
      <p class="cards-end">
        {all.length > most ? (
          <button type="button" onClick={() => setMost(all.length)}>
            {plural(all.length - most, 'more run')}
          </button>
        ) : null}
        {shown.some(({ run }) => run?.tape !== undefined || run?.status === 'running') ? (
          <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? 'Hide the changes' : 'Show the changes side by side'}
          </button>
        ) : null}
      </p>
      {isOpen ? (
        <div class="changes" tabIndex={0} role="group" aria-label="Changes side by side">
          {shown.map(({ run, branch }, index) =>
            run === undefined ? null : <Changes key={run.id} run={run} branch={branch} number={index + 1} />,
          )}
        </div>
      ) : null}
    </section>
  );
}

/** A verdict as a word of a branch, where there is no run that has it. */
function ending({ branch, run }: Contestant): { state: State; words: string } {
  if (run !== undefined) return { state: stateOf(run), words: endInWords(run) };
  const status = branch?.status ?? '';
  const state = status === 'success' ? 'good' : status === 'running' ? 'running' : status === '' ? 'idle' : 'bad';
  return {
    state,
    words: status === '' ? 'Not reported' : status === 'success' ? 'Succeeded' : capital(oneLine(status, 60)),
  };
}

const checks: Readonly<Record<string, readonly [state: State, words: string]>> = {
  passed: ['good', 'passed'],
  failed: ['bad', 'failed'],
  flaky: ['warn', 'flaky'],
  base_red: ['warn', 'failed, as on its base'],
  not_run: ['idle', 'not run'],
};

function Card({ of, number, winner }: { of: Contestant; number: number; winner: Contestant | undefined }) {
  const { branch, run } = of;
  const { state, words } = ending(of);
  const agent = oneLine(run?.agent ?? branch?.agent ?? '', 60);
  const model = oneLine(run?.model ?? '', 80);
  const isWinner = branch?.winner === true;
  const cost = costInWords(run?.cost === undefined ? { cost: branch?.cost } : run);
  const took = run === undefined ? undefined : tookOf(run);
  const [checkState, checkWords] = checks[branch?.verified ?? ''] ?? [];
  const lines = branch?.additions === undefined ? undefined : linesOf(branch);
  const files = branch?.files ?? run?.artifacts;
  const figures: readonly (readonly [name: string, value: ComponentChildren])[] = [
    ['Model', model],
    [
      'Verify',
      checkState === undefined ? undefined : (
        <span class={`text-${checkState}`}>
          <Dot state={checkState} /> {checkWords}
        </span>
      ),
    ],
    ['Lines', lines],
    ['Files', files === undefined ? undefined : String(files)],
    ['Time', took === undefined ? undefined : compactDuration(took)],
    ['Cost', cost ?? (run !== undefined && run.status !== 'running' ? <span class="muted">unknown</span> : undefined)],
    ['Tokens', run?.input_tokens === undefined ? undefined : compactCount(run.input_tokens + (run.output_tokens ?? 0))],
    ['Tool calls', run?.tool_calls === undefined ? undefined : String(run.tool_calls)],
  ];
  return (
    <li class={`card ${isWinner ? 'is-winner' : ''}`}>
      <p class="card-head">
        <span class="card-number">{number}</span>
        {run === undefined ? <strong>{agent}</strong> : <a href={`/runs/${run.id}`}>{agent || shortId(run.id)}</a>}
        {isWinner ? <span class="badge">Winner</span> : null}
      </p>
      <p class={`verdict-small text-${state}`}>
        <Dot state={state} /> {words}
      </p>
      <dl>
        {figures.map(([name, value]) =>
          value === undefined || value === '' ? null : (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
        )}
      </dl>
      {branch?.remarks === undefined || branch.remarks === '' ? null : (
        <p class="text-warn">{oneLine(branch.remarks, 400)}</p>
      )}
      {run !== undefined && branch === undefined && run.title !== '' ? (
        <p class="muted">{oneLine(run.title, 160)}</p>
      ) : null}
      {branch === undefined ? null : <code class="card-branch">{oneLine(branch.branch_id, 200)}</code>}
      {run === undefined || winner?.run === undefined || isWinner ? null : (
        <p>
          <a href={`/compare/${winner.run.id}/${run.id}`}>Compare with the winner</a>
        </p>
      )}
    </li>
  );
}

function tookOf({ duration_ms: took, status, started_at: from }: RunSummary): number | undefined {
  return took ?? (status === 'running' ? Math.max(0, now.value - from) : undefined);
}

function linesOf({ additions = 0, deletions = 0 }: Branch): ComponentChildren {
  if (additions + deletions === 0) return 'none';
  return (
    <>
      <span class="text-good">+{additions}</span> <span class="text-bad">−{deletions}</span>
    </>
  );
}

const filesShown = 20;

/** What one of them changed, from its records, which are read when this is shown. */
function Changes({ run, branch, number }: { run: TreeRun; branch: Branch | undefined; number: number }) {
  const model = useMemo(() => new RunModel(run.id), [run.id]);
  const [isRead, setRead] = useState(false);
  void model.version.value;
  useEffect(
    () =>
      source.value.follow(run.id, model.lastSeq, {
        onRecords: (records) => model.feed(records),
        onEnd: () => setRead(true),
        onState: (state) => setRead((before) => before || state === 'live'),
      }),
    [run.id],
  );
  const files = filesOf({ ...run, prompt: '', attempts: [] }, model);
  return (
    <section class="change" aria-label={`Changes of ${number}`}>
      <h3>
        <span class="card-number">{number}</span>{' '}
        {oneLine([run.agent ?? branch?.agent, run.model].filter(Boolean).join(' · '), 80)}
        {branch?.winner === true ? <span class="badge">Winner</span> : null}
      </h3>
      {files.length === 0 ? <p class="muted">{isRead ? 'No changed files were reported.' : 'Reading…'}</p> : null}
      {files.slice(0, filesShown).map((file) => (
        <div key={file.path} class="file">
          <p class="file-head">
            <FileLine file={file} />
          </p>
          <Edits file={file} model={model} page={`/runs/${run.id}?view=events`} />
        </div>
      ))}
      {files.length > filesShown ? (
        <p>
          <a href={`/runs/${run.id}?view=files`}>{plural(files.length - filesShown, 'more file')}</a>
        </p>
      ) : null}
    </section>
  );
}
