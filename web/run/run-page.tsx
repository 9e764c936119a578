import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { RunRecord } from '../api.ts';
import { RunModel } from '../model/run-model.ts';
import { Dot, Problem, say, setTab, useAnswer } from '../parts/common.tsx';
import { source } from '../parts/source.ts';
import { useKeys } from '../parts/keys.ts';
import { oneLine } from '../parts/plain-text.ts';
import { endInWords, shortId, stateOf } from '../parts/words.ts';
import { address, go, withQuery } from '../route.ts';
import { Actions } from './actions.tsx';
import { Files } from './files.tsx';
import { Happened } from './happened.tsx';
import { RawEvents } from './raw-events.tsx';
import { Replay, useReplay } from './replay.tsx';
import { Result } from './result.tsx';
import { Time } from './time.tsx';
import { Transcript } from './transcript.tsx';

const views = ['answer', 'files', 'time', 'events', 'raw'] as const;
export type View = (typeof views)[number];

interface Stream {
  state: 'live' | 'waiting' | 'ended';
  why?: string | undefined;
}

/** All that is read of a run, from its first record on. */
function useRun(id: string) {
  const { answer, error, again } = useAnswer(() => source.value.run(id), [id]);
  const model = useMemo(() => new RunModel(id), [id]);
  const [stream, setStream] = useState<Stream>({ state: 'waiting' });
  // Without a tape there is nothing to follow.
  const hasRecords = answer !== undefined && (answer.tape !== undefined || answer.status === 'running' || source.value.isReport);
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
  const [wantsNotice, setWantsNotice] = useState(false);
  const replay = useReplay(id, model);
  const status = run?.status;
  const before = useRef(status);

  useEffect(() => {
    if (run === undefined) return;
    const state = stateOf(run);
    const icon = state === 'running' ? 'running' : state === 'good' ? 'ok' : state === 'idle' ? 'idle' : 'bad';
    setTab(`${state === 'running' ? '▶' : state === 'good' ? '✓' : '✕'} ${oneLine(run.title, 60)} · ${endInWords(run)}`, icon);
    if (before.current === 'running' && run.status !== 'running') {
      say(`The run has ended: ${endInWords(run)}`);
      if (wantsNotice && document.hidden) notify(run);
    }
    before.current = run.status;
  }, [status, run?.class]);

  if (run === undefined) return error === undefined ? <p class="loading">Loading the run…</p> : <Problem error={error} again={again} />;
  return (
    <main class="run-page">
      <Happened
        run={run}
        model={model}
        actions={<Actions run={run} wantsNotice={wantsNotice} onWantNotice={setWantsNotice} onReplay={replay.start} />}
      />
      {stream.state === 'waiting' && stream.why !== undefined ? (
        <p class="banner" role="status">
          {stream.why}
        </p>
      ) : null}
      <Views run={run} model={replay.model ?? model} isReplayed={replay.model !== undefined} />
      {replay.model === undefined ? null : <Replay replay={replay} total={model.lastSeq} />}
    </main>
  );
}

function notify(run: RunRecord): void {
  const told = new Notification(endInWords(run), { body: oneLine(run.title, 120), tag: run.id });
  told.addEventListener('click', () => focus());
}

const titles: Record<View, string> = { answer: 'Result', files: 'Files', time: 'Time', events: 'Transcript', raw: 'Raw events' };

function Views({ run, model, isReplayed }: { run: RunRecord; model: RunModel; isReplayed: boolean }) {
  void model.version.value;
  const url = address.value;
  const asked = url.searchParams.get('view');
  const isLinked = /^#e\d{1,15}$/.test(url.hash);
  const fallback: View = isLinked || run.status === 'running' || isReplayed ? 'events' : 'answer';
  const view = views.find((name) => name === asked) ?? fallback;
  const counts: Partial<Record<View, number>> = { files: model.files.size, events: model.rows.length, raw: model.lastSeq };

  function show(name: View): void {
    const to = new URL(withQuery({ view: name }), location.href);
    to.hash = '';
    go(to.href, true);
  }
  useKeys([
    ...views.map((name, index) => ({ key: String(index + 1), what: titles[name], run: () => show(name) })),
    { key: 't', what: 'The tree of runs', run: () => go(`/runs/${run.id}/tree`) },
    { key: 'u', what: 'Back to all runs', run: () => go('/') },
  ]);
  return (
    <>
      <nav class="tabs" aria-label="Parts of the run">
        <span class="tabs-run">
          <Dot state={stateOf(run)} />
          <span class="sr-only">{endInWords(run)}</span>
          <code>{shortId(run.id)}</code>
        </span>
        <div class="tab-list">
          {views.map((name) => (
            <a
              key={name}
              href={withQuery({ view: name }).replace(/#.*$/, '')}
              class="tab"
              aria-current={view === name ? 'page' : undefined}
              onClick={(event) => {
                event.preventDefault();
                show(name);
              }}
            >
              {titles[name]}
              {counts[name] === undefined || counts[name] === 0 ? null : <span class="count">{counts[name]}</span>}
            </a>
          ))}
        </div>
      </nav>
      {view === 'answer' ? <Result run={run} model={model} onShow={show} /> : null}
      {view === 'files' ? <Files run={run} model={model} /> : null}
      {view === 'time' ? <Time run={run} model={model} /> : null}
      {view === 'events' ? <Transcript key={isReplayed ? 'replay' : 'run'} run={run} model={model} isReplayed={isReplayed} /> : null}
      {view === 'raw' ? <RawEvents run={run} model={model} /> : null}
    </>
  );
}
