import { useEffect, useState } from 'preact/hooks';
import { plural } from '../../src/terminal/figures.ts';
import type { RunRecord } from '../api.ts';
import type { RunModel } from '../model/run-model.ts';
import { copy, Dialog, Menu, say, useAnswer } from '../parts/common.tsx';
import { source } from '../parts/source.ts';
import { useKeys } from '../parts/keys.ts';
import { NoticeButton } from '../parts/notices.tsx';
import { endInWords, shortId } from '../parts/words.ts';
import { asMarkdown, commandOf } from './copy-as.ts';
import { AskForLimits, pauseOrResume } from './orders.tsx';

interface Properties {
  run: RunRecord;
  model: RunModel;
  /** Whether the reader may stop it, and tell it what to do. */
  mayOrder: boolean;
  /** The runs that would end with this one. */
  ends: readonly string[];
  onReplay: () => void;
}

/** Whether the reader may stop a run, pause it and change its limits, and which runs would end with it. */
export function useRights(run: RunRecord): { mayOrder: boolean; ends: readonly string[] } {
  const { answer: session } = useAnswer(() => source.value.session(), []);
  const hasRight = run.status === 'running' && (session?.rights.includes('stop') ?? false);
  // Only a user who may stop runs asks whether this one can be stopped.
  const { answer: ends } = useAnswer(
    async () => (hasRight ? source.value.endsWith(run.id) : undefined),
    [run.id, hasRight],
  );
  return { mayOrder: hasRight && ends !== undefined && ends.refused === undefined, ends: ends?.run_ids ?? [] };
}

export function Actions({ run, model, mayOrder, ends, onReplay }: Properties) {
  void model.version.value;
  const [asks, setAsks] = useState<'stop' | 'limits' | undefined>();
  const isRunning = run.status === 'running';
  const close = (): void => setAsks(undefined);
  const copies = [
    { label: 'Command to run it again', run: () => void copy(commandOf(run), 'Command copied') },
    {
      label: 'Markdown',
      hint: 'for an issue or a review',
      run: () => void copy(asMarkdown(run), 'Report copied as Markdown'),
    },
    ...(source.value.isReport
      ? []
      : [
          {
            label: 'Command to make a single HTML file',
            hint: 'to attach or keep',
            run: () =>
              void copy(
                `runwire runs show ${shortId(run.id)} --html > report-${shortId(run.id)}.html`,
                'Command copied',
              ),
          },
          { label: 'Link to this page', run: () => void copy(location.href, 'Link copied') },
        ]),
    { label: 'Id', run: () => void copy(run.id, 'Id copied') },
  ];
  useKeys([
    { key: 'y', what: 'Copy as …', run: () => document.querySelector<HTMLElement>('#copy-as')?.click() },
    { key: 'r', what: 'Replay', run: onReplay },
    ...(mayOrder
      ? [
          { key: 'p', what: 'Pause the run, or let it go on', run: () => void pauseOrResume(run, model) },
          { key: 'l', what: 'Change the limits of the run', run: () => setAsks('limits') },
          { key: 'x', what: 'Stop the run (asks first)', run: () => setAsks('stop') },
        ]
      : []),
  ]);
  return (
    <div class="actions">
      {isRunning ? (
        <span class="spare">
          <NoticeButton label="Notify me when it ends" />
        </span>
      ) : (
        <button type="button" class="spare" onClick={onReplay}>
          Replay
        </button>
      )}
      <span class="spare">
        <Menu id="copy-as" label="Copy as" entries={copies} />
      </span>
      {mayOrder ? (
        <>
          {model.pause !== undefined ? null : (
            <span class="spare">
              <button type="button" onClick={() => void pauseOrResume(run, model)}>
                Pause
              </button>
            </span>
          )}
          <span class="spare">
            <button type="button" onClick={() => setAsks('limits')}>
              Limits…
            </button>
          </span>
          <button type="button" class="danger" onClick={() => setAsks('stop')}>
            Stop…
          </button>
        </>
      ) : null}
      {asks === 'stop' ? <AskToStop run={run} others={Math.max(0, ends.length - 1)} onClose={close} /> : null}
      {asks === 'limits' ? <AskForLimits run={run} onClose={close} /> : null}
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
      say('The run was asked to stop.');
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
          {shortId(run.id)} is {endInWords(run).toLowerCase()}. As with Ctrl-C, the agent and everything it started are
          ended, its work so far is kept, and the verdict is “cancelled”.
          {others > 0
            ? ` ${plural(others, 'other run')} of the same process ${others === 1 ? 'ends' : 'end'} with it.`
            : ''}
        </p>
        <label class="field">
          <span>Reason (recorded with your name)</span>
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
