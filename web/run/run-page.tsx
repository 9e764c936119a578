import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { RunRecord } from '../api.ts';
import { RunModel } from '../model/run-model.ts';
import { fileSize, plural } from '../../src/terminal/figures.ts';
import { Command, Problem, say, setTab, type TabIcon, useAnswer } from '../parts/common.tsx';
import { notify } from '../parts/notices.tsx';
import { source } from '../parts/source.ts';
import { useKeys } from '../parts/keys.ts';
import { oneLine } from '../parts/plain-text.ts';
import { endInWords, shortId, type State, stateOf } from '../parts/words.ts';
import { address, go, pathWith, withQuery } from '../route.ts';
import { Actions, useRights } from './actions.tsx';
import { Files } from './files.tsx';
import { Happened } from './happened.tsx';
import { Standstill } from './orders.tsx';
import { RawEvents } from './raw-events.tsx';
import { countOf, Requests } from './requests.tsx';
import { Replay, useReplay } from './replay.tsx';
import { RunBar } from './run-bar.tsx';
import { Result } from './result.tsx';
import { Time } from './time.tsx';
import { Transcript } from './transcript.tsx';

const views = ['answer', 'files', 'time', 'events', 'raw', 'requests'] as const;
export type View = (typeof views)[number];

interface Stream {
  state: 'live' | 'waiting' | 'ended';
  why?: string | undefined;
}

/** A run and its model, which reads all records from the first one on. */
function useRun(id: string) {
  const { answer, error, again } = useAnswer(() => source.value.run(id), [id]);
  const model = useMemo(() => new RunModel(id), [id]);
  const [stream, setStream] = useState<Stream>({ state: 'waiting' });
  // Without a tape there is nothing to follow.
  const hasRecords =
    answer !== undefined && (answer.tape !== undefined || answer.status === 'running' || source.value.isReport);
  useEffect(() => {
    if (!hasRecords) return;
    return source.value.follow(id, model.lastSeq, {
      onRecords: (records) => model.feed(records),
      onEnd() {
        setStream({ state: 'ended' });
        again();
      },
      onState: (state, why) => setStream((before) => (before.state === 'ended' ? before : { state, why })),
    });
  }, [id, hasRecords]);
  return { run: answer, error, again, model, stream };
}

export function RunPage({ id }: { id: string }) {
  const { run, error, again, model, stream } = useRun(id);
  if (run === undefined)
    return error === undefined ? <p class="loading">Loading the run…</p> : <Problem error={error} again={again} />;
  return <Loaded run={run} model={model} stream={stream} />;
}

function Loaded({ run, model, stream }: { run: RunRecord; model: RunModel; stream: Stream }) {
  const replay = useReplay(run.id, model);
  const rights = useRights(run);
  return (
    <main class="run-page">
      <Announcement run={run} model={model} />
      <Views
        run={run}
        live={model}
        replayed={replay.model}
        actions={<Actions run={run} model={model} {...rights} onReplay={replay.start} />}
        banner={
          <>
            <Banner run={run} stream={stream} />
            <Standstill run={run} model={model} mayOrder={rights.mayOrder} />
          </>
        }
      />
      {replay.model === undefined ? null : <Replay replay={replay} total={model.lastSeq} />}
    </main>
  );
}

/** What the reader must know of the records on the page. */
function Banner({ run, stream }: { run: RunRecord; stream: Stream }) {
  return (
    <>
      {stream.state === 'waiting' && stream.why !== undefined ? (
        <p class="banner" role="status">
          {stream.why}
        </p>
      ) : null}
      <LeftOut run={run} />
    </>
  );
}

/** Says what a report leaves out, before the reader misses it. */
function LeftOut({ run }: { run: RunRecord }) {
  const { leftOut } = source.value;
  if (leftOut === undefined) return null;
  const { events, characters } = leftOut;
  const parts = [
    ...(events > 0 ? [plural(events, 'event')] : []),
    ...(characters > 0 ? [`${fileSize(characters)} of long texts`] : []),
  ];
  return (
    <section class="banner left-out" aria-label="Left out">
      <p>
        This report leaves out {parts.join(' and ')}. Verdict, answer, files and figures are those of the whole run;
        transcript, timeline and search cover only what is here.{' '}
        {run.tape === undefined
          ? 'The run was made without a ledger: nothing else of it is kept.'
          : 'For all of it, where the run is kept:'}
      </p>
      {run.tape === undefined ? null : <Command text={`runwire runs tail ${shortId(run.id)}`} />}
    </section>
  );
}

/** Reports the run's state in the tab and on the page, and in notifications if the reader asked for them. */
function Announcement({ run, model }: { run: RunRecord; model: RunModel }) {
  void model.version.value;
  const isAsking = run.status === 'running' && model.isAsking;
  const before = useRef({ status: run.status, isAsking });
  useEffect(() => {
    const state = stateOf(run);
    const title = oneLine(run.title, 60);
    if (isAsking) setTab(`⏸ Waiting for permission · ${title}`, 'wait');
    else setTab(`${signs[state]} ${endInWords(run)} · ${title}`, icons[state]);
    if (before.current.status === 'running' && run.status !== 'running') {
      say(`The run has ended: ${endInWords(run)}`);
      notify(run, endInWords(run));
    } else if (isAsking && !before.current.isAsking) notify(run, 'Waiting for permission');
    before.current = { status: run.status, isAsking };
  }, [run.status, run.class, isAsking]);
  return null;
}

const signs: Record<State, string> = { running: '▶', good: '✓', bad: '✕', warn: '!', idle: '–' };
const icons: Record<State, TabIcon> = { running: 'running', good: 'ok', bad: 'bad', warn: 'bad', idle: 'idle' };

const titles: Record<View, string> = {
  answer: 'Result',
  files: 'Files',
  time: 'Time',
  events: 'Transcript',
  raw: 'Raw events',
  requests: 'Requests',
};

interface ViewsProperties {
  run: RunRecord;
  /** All of it, and the part of it that a replay has come to. */
  live: RunModel;
  replayed: RunModel | undefined;
  actions: ComponentChildren;
  banner: ComponentChildren;
}

/** The bar, and one of the views under it. */
function Views({ run, live, replayed, actions, banner }: ViewsProperties) {
  const model = replayed ?? live;
  const isReplayed = replayed !== undefined;
  void model.version.value;
  const url = address.value;
  const wanted = url.searchParams.get('view');
  const isLinked = /^#e\d{1,15}$/.test(url.hash);
  // A reader who watched it to its end stays where they are.
  const wasRunning = useRef(run.status === 'running');
  const fallback: View = isLinked || wasRunning.current || isReplayed ? 'events' : 'answer';
  // A report holds no requests, and most runs have none.
  const shown = views.filter((name) => name !== 'requests' || (countOf(model) > 0 && !source.value.isReport));
  const view = shown.find((name) => name === wanted) ?? fallback;
  const counts: Partial<Record<View, number>> = {
    files: model.files.size,
    events: model.rows.length,
    raw: model.events,
    requests: countOf(model),
  };

  function show(name: View): void {
    const to = new URL(withQuery({ view: name }), location.href);
    to.hash = '';
    go(to.href, true);
    // Another view begins at its beginning, not where this one was left.
    if (name !== view) scrollTo({ top: 0, behavior: 'instant' });
  }
  useKeys([
    ...shown.map((name, index) => ({ key: String(index + 1), what: titles[name], run: () => show(name) })),
    ...(source.value.isReport
      ? []
      : [
          { key: 't', what: 'Show the tree of runs', run: () => go(`/runs/${run.id}/tree`) },
          { key: 'u', what: 'Back to all runs', run: () => go('/') },
        ]),
  ]);
  return (
    <>
      <RunBar run={run} model={live} isResult={view === 'answer'} actions={actions}>
        <nav class="tabs" aria-label="Parts of the run">
          {shown.map((name) => (
            <a
              key={name}
              href={pathWith({ view: name })}
              class="tab"
              aria-current={view === name ? 'page' : undefined}
              onClick={(event) => {
                event.preventDefault();
                show(name);
              }}
            >
              {titles[name]}
              {counts[name] === undefined || counts[name] === 0 ? null : (
                <span class="count">{counts[name].toLocaleString('en')}</span>
              )}
            </a>
          ))}
        </nav>
      </RunBar>
      {banner}
      {view === 'answer' ? <Happened run={run} model={live} /> : null}
      {view === 'answer' ? <Result run={run} model={model} onShow={show} /> : null}
      {view === 'files' ? <Files run={run} model={model} /> : null}
      {view === 'time' ? <Time run={run} model={model} /> : null}
      {view === 'events' ? (
        <Transcript key={isReplayed ? 'replay' : 'run'} run={run} model={model} isReplayed={isReplayed} />
      ) : null}
      {view === 'raw' ? <RawEvents run={run} model={model} /> : null}
      {view === 'requests' ? <Requests run={run} model={model} /> : null}
    </>
  );
}
