import { useEffect } from 'preact/hooks';
import { ago, compactCount, compactDuration, dollars, percent, plural } from '../../src/terminal/figures.ts';
import type { BudgetState, QueueState } from '../api.ts';
import { Command, Dot, Empty, now, Problem, setTab, useAnswer } from '../parts/common.tsx';
import { oneLine } from '../parts/plain-text.ts';
import { source } from '../parts/source.ts';
import { shortId, type State } from '../parts/words.ts';

const refreshMs = 3000;

const workerTone: Readonly<Record<QueueState['workers'][number]['state'], State>> = {
  working: 'good',
  draining: 'warn',
  silent: 'bad',
};
const jobTone: Readonly<Record<string, State>> = { running: 'running', ended: 'bad' };

/** What waits, who works, and what nobody tries any more. */
export function QueuePage() {
  const { answer, error, again } = useAnswer(async () => {
    const [queue, budgets] = await Promise.all([source.value.queue(), source.value.budgets()]);
    return { queue, budgets };
  }, []);
  useEffect(again, [Math.floor(now.value / refreshMs)]);
  useEffect(() => setTab('Queue · Runwire', 'idle'), []);
  if (answer === undefined)
    return error === undefined ? <p class="loading">Loading the queue…</p> : <Problem error={error} again={again} />;
  const { queue, budgets } = answer;
  if (queue === undefined)
    return (
      <main class="queue-page">
        <h1 class="page-title">Queue</h1>
        <Empty title="This ledger has no queue">
          <p>A queue lives in PostgreSQL, beside the ledger of a team. The first run that is queued makes it.</p>
          <Command text={'runwire enqueue --agent codex "fix the flaky test"'} />
        </Empty>
        <Budgets budgets={budgets} />
      </main>
    );
  const { jobs, oldest_wait_ms: oldest, slots } = queue.figures;
  return (
    <main class="queue-page">
      <h1 class="page-title">Queue</h1>
      {queue.paused === undefined ? null : (
        <p class="queue-paused" role="status">
          <Dot state="warn" /> Paused by {oneLine(queue.paused.by, 80)}
          {queue.paused.reason === '' ? '' : `: ${oneLine(queue.paused.reason, 200)}`}. “runwire queue resume” starts
          runs again.
        </p>
      )}
      <p class="muted">
        {plural(jobs.due, 'run')} may start now{jobs.due === 0 ? '' : `, the oldest for ${compactDuration(oldest)}`};{' '}
        {jobs.queued} queued, {jobs.waiting} waiting for others, {jobs.running} running in {plural(slots, 'slot')}
      </p>
      <h2>Workers</h2>
      {queue.workers.length === 0 ? (
        <p class="muted">There are no workers: “runwire worker” starts one.</p>
      ) : (
        <Workers workers={queue.workers} />
      )}
      <h2>Runs</h2>
      {queue.jobs.length === 0 ? (
        <p class="muted">Nothing is queued.</p>
      ) : (
        <Jobs jobs={queue.jobs} label="Queued and running runs" />
      )}
      <Budgets budgets={budgets} />
      {queue.dead.length === 0 ? null : (
        <>
          <h2>Dead</h2>
          <p class="muted">Their workers were lost five times, so nobody tries them any more.</p>
          <Jobs jobs={queue.dead} label="Dead runs" />
          <Command text="runwire queue retry --dead" />
        </>
      )}
    </main>
  );
}

/** What runs may spend together, and what is left of it. */
function Budgets({ budgets }: { budgets: readonly BudgetState[] }) {
  if (budgets.length === 0) return null;
  return (
    <>
      <h2>Budgets</h2>
      <div class="table-box" role="region" aria-label="Budgets, which may scroll" tabIndex={0}>
        <table aria-label="Budgets">
          <thead>
            <tr>
              {['Budget', 'Per', 'Spent', 'Reserved', 'Limit', 'Used', 'Runs'].map((title) => (
                <th key={title}>{title}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {budgets.map((budget) => (
              <tr key={budget.name}>
                <td>{oneLine(budget.name, 60)}</td>
                <td>{budget.per}</td>
                <td>{amounts(budget, budget.spent)}</td>
                <td>{amounts(budget, budget.reserved)}</td>
                <td>{amounts(budget, budget)}</td>
                <td class={usedOf(budget) >= 0.9 ? 'text-bad' : usedOf(budget) >= 0.7 ? 'text-warn' : ''}>
                  <meter
                    min={0}
                    max={1}
                    value={Math.min(1, usedOf(budget))}
                    aria-label={`Used of ${oneLine(budget.name, 60)}`}
                  />{' '}
                  {percent(usedOf(budget))}
                </td>
                <td>
                  {budget.runs}
                  {budget.running > 0 ? `, ${budget.running} running` : ''}
                  {budget.unpriced > 0 ? `, ${budget.unpriced} unpriced` : ''}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

/** Of what is limited: dollars, tokens or both. */
function amounts({ usd, tokens }: BudgetState, amount: { usd?: number; tokens?: number }): string {
  const shown = [
    usd === undefined ? '' : dollars(amount.usd ?? 0),
    tokens === undefined ? '' : `${compactCount(amount.tokens ?? 0)} tokens`,
  ];
  return shown.filter(Boolean).join(', ');
}

/** The used share of whichever limit is nearest, with what is reserved. */
function usedOf({ usd, tokens, spent, reserved }: BudgetState): number {
  const share = (used: number, limit: number | undefined): number =>
    limit === undefined ? 0 : limit === 0 ? 1 : used / limit;
  return Math.max(share(spent.usd + reserved.usd, usd), share(spent.tokens + reserved.tokens, tokens));
}

function Workers({ workers }: { workers: QueueState['workers'] }) {
  return (
    <div class="table-box" role="region" aria-label="Workers, which may scroll" tabIndex={0}>
      <table aria-label="Workers">
        <thead>
          <tr>
            {['State', 'Worker', 'Runs', 'Heard', 'Started', 'Labels', 'Version'].map((title) => (
              <th key={title}>{title}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {workers.map(({ name, state, running, slots, heard_at, started_at, labels, version }) => (
            <tr key={name}>
              <td>
                <Dot state={workerTone[state]} /> {state}
              </td>
              <td>{oneLine(name, 80)}</td>
              <td>
                {running} of {slots}
              </td>
              <td>{ago(Date.parse(heard_at), now.value)}</td>
              <td>{ago(Date.parse(started_at), now.value)}</td>
              <td>{oneLine(labels.join(' '), 80)}</td>
              <td>{oneLine(version, 20)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Jobs({ jobs, label }: { jobs: QueueState['jobs']; label: string }) {
  return (
    <div class="table-box" role="region" aria-label={`${label}, which may scroll`} tabIndex={0}>
      <table aria-label={label}>
        <thead>
          <tr>
            {['State', 'Run', 'Queued', 'By', 'Priority', 'Keys', 'Worker', 'Prompt'].map((title) => (
              <th key={title}>{title}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {jobs.map(
            ({ run, state, class: end, enqueued_at, enqueued_by, priority, keys, needs, worker, title, message }) => (
              <tr key={run}>
                <td>
                  <Dot state={jobTone[state] ?? 'idle'} /> {end ?? state}
                </td>
                <td>
                  {state === 'running' || end !== undefined ? (
                    <a href={`/runs/${run}`}>{shortId(run)}</a>
                  ) : (
                    shortId(run)
                  )}
                </td>
                <td>{ago(Date.parse(enqueued_at), now.value)}</td>
                <td>{oneLine(enqueued_by, 60)}</td>
                <td>{priority}</td>
                <td>{oneLine([...keys, ...needs].join(' '), 60)}</td>
                <td>{oneLine(worker ?? '', 60)}</td>
                <td>{oneLine(message ?? title, 160)}</td>
              </tr>
            ),
          )}
        </tbody>
      </table>
    </div>
  );
}
