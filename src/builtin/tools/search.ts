import { statSync } from 'node:fs';
import { dirname, relative, sep } from 'node:path';
import { Failure } from '../../failure.ts';
import { decide, type PermissionRules } from '../permissions/rules.ts';
import type { ToolResult, ToolRun } from './tool.ts';
import { explain, locate } from '../permissions/workspace.ts';
import { clip } from './clip.ts';
import { cancelled, failed, success } from './define.ts';
import { ripgrep } from './ripgrep.ts';

const mostCharacters = 30_000;
/** Files that git ignores are not searched, hidden ones are; links are not followed. */
const always = ['--hidden', '--glob=!.git', '--sort=path'];

/** One match: its file, relative to the searched folder, and the text to show. */
export interface Finding {
  file: string;
  text: string;
}

export interface Search {
  tool: string;
  path: string;
  args: readonly string[];
  separator: '\n' | '\0';
  limit: number;
  find(printed: string): Finding | undefined;
}

/** Searches the workspace, leaving out files that the rules do not allow to be read. */
export async function search(
  { tool, path, args, separator, limit, find }: Search,
  rules: PermissionRules,
  run: ToolRun,
): Promise<ToolResult> {
  try {
    const place = locate(path, { cwd: run.cwd, directories: rules.directories });
    const isFolder = statSync(place.path).isDirectory();
    const base = isFolder ? place.path : dirname(place.path);
    const shownBase =
      place.name === '.' ? '' : isFolder ? `${place.name}/` : place.name.slice(0, place.name.lastIndexOf('/') + 1);
    const shown: string[] = [];
    const target = isFolder ? './' : `./${relative(base, place.path)}`;
    await ripgrep([...always, ...args, '--', target], separator, { cwd: base, signal: run.signal }, (printed) => {
      const found = find(printed);
      if (found === undefined) return 'more';
      const subject = shownBase + found.file;
      if (!decide(rules, tool, { access: 'read', subject }).allowed) return 'more';
      if (shown.length < limit) {
        shown.push(subject + found.text);
        return 'more';
      }
      shown.push(`[more than ${limit} results; make the search narrower]`);
      return 'enough';
    });
    return success(shown.length === 0 ? 'no matches' : clip(shown.join('\n'), mostCharacters));
  } catch (error) {
    if (run.signal.aborted) return cancelled;
    return failed(error instanceof Failure ? error.message : explain(error, path));
  }
}

export const asFile = (printed: string): Finding => ({ file: nameOf(printed), text: '' });
/** Turns a path as ripgrep prints it, below `./`, into the form that rules and people use. */
export const nameOf = (printed: string): string => printed.split(sep).join('/').replace(/^\.\//, '');
