import { useEffect, useState } from 'preact/hooks';
import { plural } from '../../src/terminal/figures.ts';
import type { RunRecord } from '../api.ts';
import { copy, Dialog, Menu, say, useAnswer } from '../parts/common.tsx';
import { source } from '../parts/source.ts';
import { useKeys } from '../parts/keys.ts';
import { NoticeButton } from '../parts/notices.tsx';
import { endInWords, shortId } from '../parts/words.ts';
import { asMarkdown, commandOf } from './copy-as.ts';

interface Properties {
  run: RunRecord;
  onReplay: () => void;
}

export function Actions({ run, onReplay }: Properties) {
  const { answer: session } = useAnswer(() => source.value.session(), []);
  const [asks, setAsks] = useState(false);
  const isRunning = run.status === 'running';
  const hasRight = isRunning && (session?.rights.includes('stop') ?? false);
  // Only who may stop asks whether it is possible.
  const { answer: ends } = useAnswer(async () => (hasRight ? source.value.endsWith(run.id) : undefined), [run.id, hasRight]);
  const mayStop = hasRight && ends !== undefined && ends.refused === undefined;
  const copies = [
    { label: 'The command that runs it again', run: () => void copy(commandOf(run), 'The command is copied') },
    { label: 'Markdown', hint: 'for an issue or a review', run: () => void copy(asMarkdown(run), 'The report is copied as Markdown') },
    ...(source.value.isReport
      ? []
      : [
          {
            label: 'The command that makes one HTML file',
            hint: 'to attach or keep',
            run: () => void copy(`runwire runs show ${shortId(run.id)} --html > report-${shortId(run.id)}.html`, 'The command is copied'),
          },
          { label: 'Link to this page', run: () => void copy(location.href, 'The link is copied') },
        ]),
    { label: 'Id', run: () => void copy(run.id, 'The id is copied') },
  ];
  useKeys([
    { key: 'y', what: 'Copy as …', run: () => document.querySelector<HTMLElement>('#copy-as')?.click() },
    { key: 'r', what: 'Replay', run: onReplay },
    ...(mayStop ? [{ key: 'x', what: 'Stop the run (asks first)', run: () => setAsks(true) }] : []),
  ]);
  return (
    <div class="actions">
      {isRunning ? (
        <NoticeButton label="Tell me when it ends" />
      ) : (
        <button type="button" onClick={onReplay}>
          Replay
        </button>
      )}
      <Menu id="copy-as" label="Copy as" entries={copies} />
      {mayStop ? (
        <button type="button" class="danger" onClick={() => setAsks(true)}>
          Stop…
        </button>
      ) : null}
      {asks ? <AskToStop run={run} others={Math.max(0, (ends?.run_ids.length ?? 1) - 1)} onClose={() => setAsks(false)} /> : null}
    </div>
  );
}

function AskToStop({ run, others, onClose }: { run: RunRecord; others: number; onClose: () => void }) {
  const [reason, setReason] = useState('');
  const [problem, setProblem] = useState('');
  const [isSent, setSent] = useState(false);
  useEffect(() => {
    if (run.status !== 'running') onClose();
  }, [run.status]);
  async function stop(event: Event): Promise<void> {
    event.preventDefault();
    setSent(true);
    try {
      await source.value.stop(run.id, reason.trim() === '' ? 'stopped from the page' : reason.trim());
      say('It was asked to stop.');
      onClose();
    } catch (error) {
      setSent(false);
      setProblem(error instanceof Error ? error.message : String(error));
    }
  }
  return (
    <Dialog title="Stop this run?" onClose={onClose}>
      <form onSubmit={(event) => void stop(event)}>
        <p>
          {shortId(run.id)} is {endInWords(run).toLowerCase()}. It is ended as by Ctrl-C: the agent and all that it started, what it did so
          far is kept, and the verdict is “cancelled”.
          {others > 0 ? ` ${plural(others, 'other run')} of the same process ${others === 1 ? 'ends' : 'end'} with it.` : ''}
        </p>
        <label class="field">
          <span>Why (is recorded with your name)</span>
          <input value={reason} maxLength={200} onInput={({ currentTarget }) => setReason(currentTarget.value)} />
        </label>
        {problem === '' ? null : (
          <p class="banner banner-bad" role="alert">
            {problem}
          </p>
        )}
        <div class="dialog-buttons">
          <button type="button" onClick={onClose}>
            Let it run
          </button>
          <button type="submit" class="danger" disabled={isSent}>
            Stop it
          </button>
        </div>
      </form>
    </Dialog>
  );
}
