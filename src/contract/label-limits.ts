import { Failure } from '../failure.ts';
import { quoted } from '../redact/quoted.ts';
import type { Labels } from './labels.ts';

/** What a caller may give a run: every list of runs shows all labels of each. */
const mostGiven = 100;
/** The same with what Runwire adds about git, the CI, attempts and imports. */
export const mostKept = 200;
const longestKey = 200;
const longestValue = 500;

/** Why these are no labels of a run; undefined: they are. */
export function labelTrouble(labels: Labels, most = mostGiven): string | undefined {
  const keys = Object.keys(labels);
  if (keys.length > most) return `${keys.length} labels; a run has at most ${most}`;
  if (keys.some((key) => key.length > longestKey)) return `the name of a label has at most ${longestKey} characters`;
  const long = keys.find((key) => (labels[key]?.length ?? 0) > longestValue);
  return long === undefined ? undefined : `the label ${long} is too long; at most ${longestValue} characters`;
}

/** Throws `Failure` if there are too many, or one is too long. */
export function checkLabels(where: string, labels: Labels): Labels {
  const trouble = labelTrouble(labels);
  if (trouble !== undefined) throw new Failure('input', `${where}: ${trouble}`);
  return labels;
}

/** As much of labels from elsewhere as a run may have, and how many are left out. */
export function fittingLabels(labels: Labels): { kept: Labels; omitted: number } {
  const all = Object.entries(labels);
  const some = all.slice(0, mostKept).map(([key, value]) => [cut(key, longestKey), cut(value, longestValue)]);
  return { kept: Object.fromEntries(some) as Labels, omitted: all.length - some.length };
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : quoted(text, most);
}
