import type { Draft } from '../../../events/event.ts';
import { present } from '../../../json/present.ts';
import type { Json, JsonObject } from '../../../json/json.ts';
import { filled, list, object, string } from '../../../json/read.ts';
import { changedLines } from './changed-lines.ts';

/** A call that ended well, and what it says about files. */
export interface Edited {
  itemId: string;
  kind: string | undefined;
  contents: readonly Json[];
  locations: readonly Json[];
  args: JsonObject;
  rawOutput: Json | undefined;
}

export function editsOf({ itemId, kind, contents, locations, args, rawOutput }: Edited): Draft[] {
  const diffs = contents
    .map((each) => object(each))
    .filter(({ type, path }) => type === 'diff' && filled(path) !== undefined);
  if (diffs.length > 0) return diffs.map((diff) => editOf(diff, itemId));
  if (kind !== 'edit' && kind !== 'delete') return [];
  const operation = kind === 'delete' ? 'deleted' : isNewFile(rawOutput) ? 'created' : 'modified';
  return pathsOf(locations, args).map((path) => ({ type: 'file.edited', path, operation, item_id: itemId }));
}

function editOf({ path, oldText, newText, _meta }: JsonObject, item_id: string): Draft {
  // Agents that cannot send null mark a new file with an empty text.
  const [before, after] = [string(oldText) ?? '', string(newText) ?? ''];
  const kind = object(_meta).kind;
  const operation = kind === 'delete' ? 'deleted' : before === '' || kind === 'add' ? 'created' : 'modified';
  return {
    type: 'file.edited',
    path: string(path) ?? '',
    operation,
    item_id,
    ...present(changedLines(before, after) ?? {}),
  };
}

/** OpenCode reports this for a file that it wrote. */
function isNewFile(rawOutput: Json | undefined): boolean {
  return object(object(rawOutput).metadata).exists === false;
}

/** The files that a call is about. */
export function pathsOf(locations: readonly Json[], args: JsonObject): string[] {
  const paths = locations.flatMap((each) => filled(object(each).path) ?? []);
  if (paths.length > 0) return [...new Set(paths)];
  const named = filled(args.path) ?? filled(args.file_path) ?? filled(args.filePath) ?? filled(args.absolute_path);
  return named === undefined ? [] : [named];
}

/** The texts among a call's contents. */
export function textOf(contents: readonly Json[]): string {
  return list([...contents])
    .flatMap((each) => {
      const { type, content } = object(each);
      return type === 'content' && object(content).type === 'text' ? [string(object(content).text) ?? ''] : [];
    })
    .join('\n');
}
