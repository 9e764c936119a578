import type { Json } from '../../json/json.ts';
import { isObject } from '../../json/read.ts';
import { toolResultsIn } from './tool-results.ts';

/** Where a replayed run left the course of its recording. */
export interface Departure {
  /** The request that has no recorded answer, counted from one, and the recorded one that is nearest. */
  request: number;
  recorded: number | undefined;
  /** Its method and path. */
  target: string;
  /** The field that differs, such as `input.7.output`. */
  path: string;
  /** What it is, if it is the result of a tool: the call. */
  call?: string | undefined;
  /** Both values, as JSON or text; undefined: there is none. */
  before: string | undefined;
  now: string | undefined;
  /** How many other fields differ. */
  others: number;
}

type Leaves = Map<string, string>;

/** The fields in which two bodies differ: the first of them, and how many. Undefined: none. */
export function differenceOf(
  recorded: Json,
  now: Json,
): Pick<Departure, 'path' | 'call' | 'before' | 'now' | 'others'> | undefined {
  const [before, after] = [leavesOf(recorded), leavesOf(now)];
  const paths = [...before.keys(), ...[...after.keys()].filter((path) => !before.has(path))].filter(
    (path) => before.get(path) !== after.get(path),
  );
  // A list that is longer or shorter than the recorded one says more than the fields of its elements.
  const [first] = paths;
  if (first === undefined) return undefined;
  const call = toolResultsIn(now).find(({ path }) => isAt(first, path.join('.')))?.call;
  return { path: first, call, before: before.get(first), now: after.get(first), others: paths.length - 1 };
}

/** How many fields of two bodies are not the same. */
export function distance(one: Leaves, other: Leaves): number {
  let same = 0;
  for (const [path, value] of one) if (other.get(path) === value) same += 1;
  return one.size + other.size - 2 * same;
}

export function leavesOf(value: Json): Leaves {
  const leaves: Leaves = new Map();
  const walk = (each: Json, path: string): void => {
    const entries = Array.isArray(each)
      ? each.map((element, index) => [String(index), element] as const)
      : isObject(each)
        ? Object.entries(each)
        : undefined;
    if (entries === undefined || entries.length === 0)
      leaves.set(path, typeof each === 'string' ? each : JSON.stringify(each));
    else for (const [name, inner] of entries) walk(inner, path === '' ? name : `${path}.${name}`);
  };
  walk(value, '');
  return leaves;
}

function isAt(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}.`);
}

const mostShown = 300;

/** In words, over several lines. */
export function departureText(
  { request, recorded, target, path, call, before, now, others }: Departure,
  of: number,
): string {
  if (recorded === undefined) return `departed at request ${request}: the recording has no further answer to ${target}`;
  const what = call === undefined ? path : `the result of \`${shown(call)}\` (${path})`;
  const more = others === 0 ? '' : `, and ${others} more`;
  return `departed at request ${request} of ${of}: ${what} differs${more}\n  recorded  ${side(before, now)}\n  now       ${side(now, before)}`;
}

/** Around the first character that differs. */
function side(text: string | undefined, other: string | undefined): string {
  if (text === undefined) return '(nothing)';
  if (text.length <= mostShown) return shown(text);
  let same = 0;
  while (same < text.length && text[same] === other?.[same]) same += 1;
  const start = Math.max(0, same - mostShown / 3);
  return `${start > 0 ? '…' : ''}${shown(text.slice(start, start + mostShown))}${start + mostShown < text.length ? '…' : ''}`;
}

function shown(text: string): string {
  return text.slice(0, mostShown).replaceAll(/\r?\n/g, '⏎');
}
