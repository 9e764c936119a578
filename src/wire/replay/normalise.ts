import type { Json } from '../../json/json.ts';
import { isObject } from '../../json/read.ts';
import { dates, type ReplayRules } from './rules.ts';

/** Folders that may be elsewhere when a run is replayed, and the day, which is another one. */
export interface Folders {
  cwd?: string | undefined;
  home?: string | undefined;
  /** When it ran. Only dates of that time are replaced, since all others mean something; unset: all are. */
  at?: number | undefined;
}

/** What stands for a secret. */
const redacted = /\[redacted:[\w-]{1,80}\]/g;

/** A run may last over midnight, and the date depends on the time zone. */
const nearMs = 36 * 3_600_000;

/** The body of a request without what differs between two requests that mean the same. */
export function normalise(
  body: Json,
  { drop = [], replace = [], sort = [] }: ReplayRules,
  { cwd, home, at }: Folders,
  top: readonly string[] = [],
): Json {
  const dropped = drop.map((path) => path.split('.'));
  const sorted = sort.map((path) => path.split('.'));
  const folders = (
    [
      [cwd, '{cwd}'],
      [home, '{home}'],
    ] as const
  ).filter(([folder]) => folder !== undefined && folder.length > 1);

  function text(value: string, path: readonly string[]): string {
    // Which kind a secret is taken for depends on the variables that are set.
    let changed = value.replaceAll(redacted, '[redacted]');
    for (const [folder, word] of folders) changed = changed.replaceAll(folder as string, word);
    for (const [pattern, instead] of replace)
      changed = changed.replaceAll(pattern, (found) => (typeof instead === 'string' ? instead : instead(found)));
    for (const pattern of dates) changed = changed.replaceAll(pattern, (date) => (isNear(date, at) ? '{date}' : date));
    return sorted.some((each) => fits(each, path)) ? changed.split('\n').toSorted().join('\n') : changed;
  }

  function walk(value: Json, path: readonly string[]): Json {
    if (typeof value === 'string') return text(value, path);
    if (Array.isArray(value)) {
      const elements = value.map((each, index) => walk(each, [...path, String(index)]));
      return sorted.some((each) => fits(each, path)) ? elements.toSorted(byText) : elements;
    }
    if (!isObject(value)) return value;
    const kept = Object.entries(value)
      .filter(([name]) => !dropped.some((each) => fits(each, [...path, name])))
      .toSorted(([one], [other]) => (one < other ? -1 : 1));
    return Object.fromEntries(kept.map(([name, each]) => [name, walk(each, [...path, name])]));
  }

  return walk(body, top);
}

function isNear(date: string, at: number | undefined): boolean {
  return at === undefined || Math.abs(Date.parse(date) - at) <= nearMs;
}

function fits(pattern: readonly string[], path: readonly string[]): boolean {
  return pattern.length === path.length && pattern.every((name, index) => name === '*' || name === path[index]);
}

function byText(one: Json, other: Json): number {
  return JSON.stringify(one) < JSON.stringify(other) ? -1 : 1;
}
