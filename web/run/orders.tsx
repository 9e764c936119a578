import { useEffect, useState } from 'preact/hooks';
import type { Change } from '../../src/contract/field.ts';
import { changeableLimits } from '../../src/contract/orders.ts';
import { durationOf } from '../../src/time/duration.ts';
import type { LimitOrder, Order, RunRecord } from '../api.ts';
import type { RunModel } from '../model/run-model.ts';
import { Dialog, Dot, say } from '../parts/common.tsx';
import { oneLine } from '../parts/plain-text.ts';
import { source } from '../parts/source.ts';
import { clockTime, shortId } from '../parts/words.ts';

/** Asks it of the run, and says that it was told, or why not. */
async function order(run: RunRecord, what: Order, done: string): Promise<void> {
  try {
    await source.value.order(run.id, what);
    say(done);
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
  }
}

/** Pauses the run, or lets it go on. */
export function pauseOrResume(run: RunRecord, { pause }: RunModel): Promise<void> {
  return pause === undefined
    ? order(run, { do: 'pause' }, 'The run was asked to pause.')
    : order(run, { do: 'resume' }, 'The run was asked to go on.');
}

/** Why nothing happens: who paused it and when, or which limit it waits for. */
export function Standstill({ run, model, mayOrder }: { run: RunRecord; model: RunModel; mayOrder: boolean }) {
  void model.version.value;
  const { pause } = model;
  if (pause === undefined || run.status !== 'running') return null;
  const { reason, at, by, until } = pause;
  const words =
    reason === 'limit'
      ? `Waiting for a limit of the provider to reset${until === undefined ? '' : `, until ${clockTime(until)}`}`
      : `Paused by ${oneLine(by ?? 'a person', 120)}${at === undefined ? '' : ` at ${clockTime(at)}`}`;
  return (
    <p class="banner standstill" role="status">
      <Dot state="warn" /> <span>{words}. Its time limits do not run meanwhile.</span>
      {mayOrder ? (
        <button type="button" onClick={() => void pauseOrResume(run, model)}>
          {reason === 'limit' ? 'Go on now' : 'Resume'}
        </button>
      ) : null}
    </p>
  );
}

type LimitName = keyof LimitOrder;
const [whole, amount] = [/^[1-9]\d{0,14}$/, /^\d{1,9}(?:\.\d{1,9})?$/];

const readAs: Readonly<Record<Change['kind'], (text: string) => number>> = {
  count: (text) => (whole.test(text) ? Number(text) : NaN),
  amount: (text) => (amount.test(text) ? Number(text) : NaN),
  duration: (text) => durationOf(text) ?? NaN,
};

export function AskForLimits({ run, onClose }: { run: RunRecord; onClose: () => void }) {
  const [texts, setTexts] = useState<Partial<Record<LimitName, string>>>({});
  const [problem, setProblem] = useState('');
  useEffect(() => {
    if (run.status !== 'running') onClose();
  }, [run.status]);
  async function send(event: Event): Promise<void> {
    event.preventDefault();
    const given: LimitOrder = {};
    for (const { name, title, hint, kind } of changeableLimits) {
      const text = (texts[name] ?? '').trim();
      if (text === '') continue;
      const value = readAs[kind](text);
      if (!(value > 0)) return setProblem(`${title}: expected something like ${hint}.`);
      given[name] = value;
    }
    if (Object.keys(given).length === 0) return setProblem('Fill in the limit that is to change.');
    try {
      await source.value.order(run.id, { do: 'limit', limits: given });
      say('The run was told its new limits.');
      onClose();
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  }
  return (
    <Dialog title="Change the limits of this run" onClose={onClose}>
      <form onSubmit={(event) => void send(event)}>
        <p>
          They hold from now on, over all of {shortId(run.id)}: if it has used more already, it is stopped. An empty
          field changes nothing. Your name is recorded with the change.
        </p>
        <div class="limits">
          {changeableLimits.map(({ name, title, hint }) => (
            <label key={name} class="field">
              <span>{title}</span>
              <input
                value={texts[name] ?? ''}
                placeholder={hint}
                maxLength={20}
                autocomplete="off"
                onInput={({ currentTarget }) => setTexts({ ...texts, [name]: currentTarget.value })}
              />
            </label>
          ))}
        </div>
        {problem === '' ? null : (
          <p class="banner banner-bad" role="alert">
            {problem}
          </p>
        )}
        <div class="dialog-buttons">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="primary">
            Change them
          </button>
        </div>
      </form>
    </Dialog>
  );
}
