import { list, object, string } from '../../json/read.ts';
import type { Json } from '../../json/json.ts';

/** What an edit takes out of a file and puts in; `before` is unset where the whole file is written. */
export interface EditEffect {
  /** Which file, or files. */
  place: string;
  before: string | undefined;
  after: string;
}

const places = ['file_path', 'filePath', 'path', 'absolute_path', 'target_file', 'filename', 'file'];
const pairs = [
  ['old_string', 'new_string'],
  ['oldString', 'newString'],
  ['old_str', 'new_str'],
  ['oldText', 'newText'],
  ['old_text', 'new_text'],
  ['search', 'replace'],
] as const;
const wholes = ['content', 'contents', 'file_text', 'text'];
const patches = ['patch', 'patchText', 'input', 'diff', 'patch_text'];

const headers = /^(?:\*\*\* (?:Update|Add|Delete) File: |\+\+\+ |--- )/;

/** Reads the arguments of a call that edits; undefined: they do not say what it does to the text. */
export function editEffectOf(args: Json): EditEffect | undefined {
  const fields = object(args);
  const text = (names: readonly string[]): string | undefined =>
    names.map((name) => string(fields[name])).find((each) => each !== undefined);
  const patch = text(patches);
  if (patch !== undefined) return effectOfPatch(patch);
  const place = text(places);
  if (place === undefined) return undefined;
  const replaced = [fields, ...list(fields['edits']).map((each) => object(each))].flatMap((each) =>
    pairs.flatMap(([old, next]) => {
      const [before, after] = [string(each[old]), string(each[next])];
      return before === undefined || after === undefined ? [] : [{ before, after }];
    }),
  );
  if (replaced.length > 0)
    return {
      place,
      before: JSON.stringify(replaced.map(({ before }) => before)),
      after: JSON.stringify(replaced.map(({ after }) => after)),
    };
  const whole = text(wholes);
  return whole === undefined ? undefined : { place, before: undefined, after: whole };
}

function effectOfPatch(patch: string): EditEffect | undefined {
  const lines = patch.split('\n');
  const place = lines.filter((line) => headers.test(line)).join('\n');
  const changed = lines.filter((line) => !headers.test(line));
  const marked = (mark: string): string =>
    changed
      .filter((line) => line.startsWith(mark))
      .map((line) => line.slice(1))
      .join('\n');
  const effect = { place, before: marked('-'), after: marked('+') };
  return effect.before === '' && effect.after === '' ? undefined : effect;
}
