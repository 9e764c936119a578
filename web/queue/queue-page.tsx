import { useEffect } from 'preact/hooks';
import { ago, compactDuration, plural } from '../../src/terminal/figures.ts';
import type { QueueState } from '../api.ts';
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
  const { answer, error, again } = useAnswer(async () => ({ queue: await source.value.queue() }), []);
  useEffect(again, [Math.floor(now.value / refreshMs)]);
  useEffect(() => setTab('Queue · Runwire', 'idle'), []);
  if (answer === undefined)
    return error === undefined ? <p class="loading">Loading the queue…</p> : <Problem error={error} again={again} />;
  const { queue } = answer;
  if (queue === undefined)
    return (
      <Empty title="This ledger has no queue">
        <p>A queue lives in PostgreSQL, beside the ledger of a team. The first run that is queued makes it.</p>
        <Command text={'runwire enqueue --agent codex "fix the flaky test"'} />
      </Empty>
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
