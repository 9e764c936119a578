import { exitCodes, Failure } from '../../failure.ts';
import { present } from '../../present.ts';
import { parseLabel } from '../../stores/labels.ts';
import { isWholeId } from '../../stores/run-id.ts';
import type { RunFilter, RunStatus, RunStore } from '../../stores/run-store.ts';
import type { Options, Values } from '../command.ts';
import type { Context } from '../context.ts';
import { durationOf } from '../duration.ts';
import { namedRun } from './ledger.ts';

const statuses = ['running', 'success', 'error', 'cancelled', 'incomplete'] as const satisfies readonly RunStatus[];
const classes = Object.keys(exitCodes);

/** Which runs: the flags of every command that takes many of them. */
export const filterOptions = {
  status: { type: 'string', short: 's', multiple: true, value: 'STATUS', choices: statuses, help: `${statuses.join(', ')}; several: a,b` },
  class: { type: 'string', multiple: true, value: 'CLASS', choices: classes, help: 'Class of the verdict: success, tool, provider, …' },
  agent: { type: 'string', short: 'a', multiple: true, value: 'NAME', help: 'Agent: claude, codex, …' },
  model: { type: 'string', short: 'm', multiple: true, value: 'NAME', help: 'Model' },
  parent: { type: 'string', multiple: true, value: 'ID', help: 'Started by this run' },
  root: { type: 'string', multiple: true, value: 'ID', help: 'Anywhere below this run, which is the top of its tree' },
  label: { type: 'string', short: 'l', multiple: true, value: 'KEY=VALUE', help: 'Label; several: all of them' },
  since: { type: 'string', value: 'WHEN', help: 'Started in the last 2h, 3d, 1w, or since 2026-11-15 or 2026-11-15T10:00Z' },
  until: { type: 'string', value: 'WHEN', help: 'Started before then' },
  'min-cost': { type: 'string', value: 'USD', help: 'Cost at least this much' },
  'max-cost': { type: 'string', value: 'USD', help: 'Cost at most this much' },
  text: { type: 'string', value: 'WORDS', help: 'All these words are in the prompt or the answer; word* begins so' },
} as const satisfies Options;

export function readFilter(values: Values<typeof filterOptions>, context: Context): RunFilter {
  const status = words(values.status)?.map((word) => known('--status', word, statuses));
  const verdicts = words(values.class)?.map((word) => known('--class', word, classes));
  const agent = words(values.agent);
  const model = words(values.model);
  const labels = values.label === undefined ? undefined : Object.fromEntries(values.label.map(parseLabel));
  const from = readTime('--since', values.since, context.now());
  const to = readTime('--until', values.until, context.now());
  const least = readCost('--min-cost', values['min-cost']);
  const most = readCost('--max-cost', values['max-cost']);
  return present({
    status,
    class: verdicts,
    agent,
    model,
    parent: words(values.parent),
    root: words(values.root),
    labels,
    started_from: from,
    started_to: to,
    cost_min: least,
    cost_max: most,
    text: values.text,
  });
}

/** The filter with whole ids for the runs that it names. */
export async function withWholeIds(store: RunStore, filter: RunFilter): Promise<RunFilter> {
  const whole = async (named: readonly string[] | undefined): Promise<string[] | undefined> =>
    named === undefined ? undefined : Promise.all(named.map((word) => wholeId(store, word)));
  return { ...filter, ...present({ parent: await whole(filter.parent), root: await whole(filter.root) }) };
}

/** What is below a run that was pruned can still be asked for. */
async function wholeId(store: RunStore, word: string): Promise<string> {
  return isWholeId(word) ? word : (await namedRun(store, word)).id;
}

function words(given: readonly string[] | undefined): string[] | undefined {
  return given?.flatMap((text) => text.split(',')).map((word) => word.trim());
}

function known<Word extends string>(flag: string, word: string, all: readonly Word[]): Word {
  const found = all.find((each) => each === word);
  if (found === undefined) throw new Failure('input', `${flag} ${word}: expected one of ${all.join(', ')}`);
  return found;
}

/** `2h`, `1d12h` → milliseconds. */
export function readSpan(flag: string, text: string): number {
  const ms = durationOf(text);
  if (ms === undefined) throw new Failure('input', `${flag} ${text}: expected a span such as 30m, 2h, 3d or 1w`);
  return ms;
}

/** A span before now, or a date: a day begins at midnight UTC, as in the statistics. */
function readTime(flag: string, text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{4}-\d\d-\d\d/.test(text)) {
    const at = Date.parse(text);
    if (!Number.isNaN(at)) return at;
  } else if (/^[\d.]+[smhdw]/.test(text)) return now - readSpan(flag, text);
  throw new Failure('input', `${flag} ${text}: expected a span such as 2h or 3d, or a date such as 2026-11-15 or 2026-11-15T10:00Z`);
}

function readCost(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^(?:\d+|\d*\.\d+)$/.test(text)) throw new Failure('input', `${flag} ${text}: expected dollars, such as 0.50`);
  return Number(text);
}
