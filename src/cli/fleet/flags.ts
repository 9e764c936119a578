import { durationOf } from '../../time/duration.ts';
import { Failure } from '../../failure.ts';
import type { Order } from '../../fleet/job.ts';
import { present } from '../../json/present.ts';
import { requestOptionsFor } from '../../contract/flags.ts';
import type { Options, Values } from '../command.ts';
import { filled, readWord } from '../../contract/flag-values.ts';

/** Flags that say when and where to do it. */
const orderOptions = {
  id: {
    type: 'string',
    value: 'NAME',
    help: 'A name of your choice; the same name is queued only once',
    group: 'Queue',
    common: true,
  },
  key: {
    type: 'string',
    multiple: true,
    value: 'KEY=VALUE',
    help: 'Key that limits apply to, such as repo=web; see "runwire queue limit"; may be repeated',
    group: 'Queue',
    common: true,
  },
  label: {
    type: 'string',
    multiple: true,
    value: 'WORD|KEY=VALUE',
    help: 'A word such as gpu: only for workers that have it; KEY=VALUE: label the run, to find it again; may be repeated',
    group: 'Queue',
    common: true,
  },
  priority: {
    type: 'string',
    value: 'N',
    help: 'Higher priorities go first (default: 0)',
    group: 'Queue',
    common: true,
  },
  budget: {
    type: 'string',
    value: 'NAME',
    help: 'The budget that pays for it; see "runwire budget"',
    group: 'Queue',
    common: true,
  },
  at: {
    type: 'string',
    value: 'TIME',
    help: 'Start no earlier than 2026-11-17T02:00Z, or 30m from now',
    group: 'Queue',
    common: true,
  },
  after: {
    type: 'string',
    multiple: true,
    value: 'RUN',
    help: 'Start only when this queued run has succeeded; may be repeated',
    group: 'Queue',
    common: true,
  },
  publish: {
    type: 'string',
    value: 'none|branch',
    choices: ['none', 'branch'],
    help: 'branch: push the changes of a run that succeeded',
    group: 'Queue',
    common: true,
  },
  bundle: {
    type: 'boolean',
    help: 'Send the commit with the job: for workers that cannot reach the remote',
    group: 'Queue',
    common: true,
  },
} as const satisfies Options;

/** What to do, by flags of `run`, and when and where. */
export const enqueueOptions = { ...requestOptionsFor('enqueue'), ...orderOptions } as const;

type OrderValues = Values<typeof orderOptions>;

export function readOrder(values: OrderValues, now: number): Partial<Order> {
  const { id, key, label, budget, after, publish } = values;
  const needs = label?.filter((word) => !word.includes('='));
  return present({
    id: filled('--id', id, 'nightly-42'),
    keys: key === undefined ? undefined : [...key],
    needs: needs === undefined || needs.length === 0 ? undefined : needs,
    priority: readPriority(values.priority),
    budget: filled('--budget', budget, 'team-a'),
    at: readAt(values.at, now),
    after: after === undefined ? undefined : [...after],
    publish: readWord('--publish', publish, ['none', 'branch']),
  });
}

function readPriority(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^-?\d{1,6}$/.test(text)) throw new Failure('input', `--priority ${text}: expected a whole number, such as 5`);
  return Number(text);
}

function readAt(text: string | undefined, now: number): string | undefined {
  if (text === undefined) return undefined;
  const span = durationOf(text);
  const at = span === undefined ? (/^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN) : now + span;
  if (Number.isNaN(at) || Math.abs(at) > 8.64e15)
    throw new Failure(
      'input',
      `--at ${text}: expected a time such as 2026-11-17T02:00Z, or a span from now such as 30m`,
    );
  return new Date(at).toISOString();
}
