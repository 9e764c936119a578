import { durationOf } from '../duration.ts';
import { exitCodes, Failure } from '../failure.ts';
import { present } from '../present.ts';
import { parseLabels } from '../contract/labels.ts';
import type { RunFilter, RunStatus } from '../stores/run-store.ts';

export const statuses = ['running', 'success', 'error', 'cancelled', 'incomplete'] as const satisfies readonly RunStatus[];
export const classes: readonly string[] = Object.keys(exitCodes);

/** Which runs, as the user asks for them: in flags, or in the query of a request. */
export interface AskedRuns {
  status?: readonly string[] | undefined;
  class?: readonly string[] | undefined;
  agent?: readonly string[] | undefined;
  model?: readonly string[] | undefined;
  user?: readonly string[] | undefined;
  host?: readonly string[] | undefined;
  repo?: readonly string[] | undefined;
  /** Full paths, one each. */
  cwd?: readonly string[] | undefined;
  session?: readonly string[] | undefined;
  parent?: readonly string[] | undefined;
  root?: readonly string[] | undefined;
  label?: readonly string[] | undefined;
  since?: string | undefined;
  until?: string | undefined;
  min_cost?: string | undefined;
  max_cost?: string | undefined;
  /** One path each, since a path may contain a comma. */
  file?: readonly string[] | undefined;
  text?: string | undefined;
}

/** `called` gives the name of a field where it was asked for. Throws `Failure` with what is wrong and what is expected. */
export function filterOf(asked: AskedRuns, now: number, called: (field: keyof AskedRuns) => string): RunFilter {
  return present({
    status: words(asked.status)?.map((word) => known(called('status'), word, statuses)),
    class: words(asked.class)?.map((word) => known(called('class'), word, classes)),
    agent: words(asked.agent),
    model: words(asked.model),
    user: words(asked.user),
    host: words(asked.host),
    repo: words(asked.repo),
    cwd: asked.cwd,
    session: words(asked.session),
    parent: words(asked.parent),
    root: words(asked.root),
    labels: asked.label === undefined ? undefined : parseLabels(asked.label),
    started_from: readTime(called('since'), asked.since, now),
    started_to: readTime(called('until'), asked.until, now),
    cost_min: readCost(called('min_cost'), asked.min_cost),
    cost_max: readCost(called('max_cost'), asked.max_cost),
    file: asked.file?.map((path) => path.replace(/^\.\//, '')),
    text: asked.text,
  });
}

function words(given: readonly string[] | undefined): string[] | undefined {
  return given?.flatMap((text) => text.split(',')).map((word) => word.trim());
}

function known<Word extends string>(name: string, word: string, all: readonly Word[]): Word {
  const found = all.find((each) => each === word);
  if (found === undefined) throw new Failure('input', `${name} ${word}: expected one of ${all.join(', ')}`);
  return found;
}

/** `2h`, `1d12h` → milliseconds. */
export function readSpan(name: string, text: string): number {
  const ms = durationOf(text);
  if (ms === undefined) throw new Failure('input', `${name} ${text}: expected a span such as 30m, 2h, 3d or 1w`);
  return ms;
}

/** A span before now, or a date: a day begins at midnight UTC, as in the statistics. */
function readTime(name: string, text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{4}-\d\d-\d\d/.test(text)) {
    const at = Date.parse(text);
    if (!Number.isNaN(at)) return at;
  } else if (/^[\d.]+[smhdw]/.test(text)) return now - readSpan(name, text);
  throw new Failure('input', `${name} ${text}: expected a span such as 2h or 3d, or a date such as 2026-11-15 or 2026-11-15T10:00Z`);
}

function readCost(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^(?:\d+|\d*\.\d+)$/.test(text)) throw new Failure('input', `${name} ${text}: expected dollars, such as 0.50`);
  return Number(text);
}
