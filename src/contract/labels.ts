import { Failure } from '../failure.ts';
import { checkLabels } from './label-limits.ts';

/** What a run can be found by, besides what is known of it. */
export type Labels = Readonly<Record<string, string>>;

/** `k=v`, as in `--label`. */
function parseLabel(text: string): [key: string, value: string] {
  const at = text.indexOf('=');
  const key = text.slice(0, at).trim();
  if (at < 1 || !/^[\p{L}\p{N}][\p{L}\p{N}._/-]*$/u.test(key))
    throw new Failure('input', `invalid label "${text}"; expected key=value`);
  return [key, text.slice(at + 1).trim()];
}

/** The labels of all `--label` of a command line. */
export function parseLabels(texts: readonly string[] = []): Labels {
  const labels = new Map<string, string>();
  for (const [key, value] of texts.map(parseLabel)) {
    const before = labels.get(key);
    if (before !== undefined && before !== value)
      throw new Failure('input', `--label ${key} is given twice, as "${before}" and "${value}": a label has one value`);
    labels.set(key, value);
  }
  return checkLabels('--label', Object.fromEntries(labels));
}
