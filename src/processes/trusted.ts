import { accessSync, constants, existsSync, realpathSync, statSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join, sep } from 'node:path';
import { isInside } from '../files/inside.ts';
import type { Environment } from '../words/vocabulary.ts';
import { homeFolder } from '../files/xdg.ts';

/** Folders of programs that no checkout holds; first in the scripts that we run. */
export const systemFolders = '/usr/sbin:/usr/bin:/sbin:/bin';

/**
 * All checkouts that a folder is in, or the folder itself: what has a `.git` may be no repository, or one inside another, as whoever
 * wrote the outer one wanted it. A home that is a checkout holds the user's own programs, unless it is the only one.
 */
export function checkoutsAround(folder: string, env: Environment): string[] {
  const found: string[] = [];
  for (let each = folder; ; each = dirname(each)) {
    if (existsSync(join(each, '.git'))) found.push(each);
    if (dirname(each) === each) break;
  }
  const below = found.filter((each) => !isInside(homeFolder(env), each));
  return [below, found, [folder]].find((each) => each.length > 0) ?? [];
}

/** The checkouts of a repository: its config may say that its files are somewhere else. */
export function rootsOf({ root, commonDir }: { root: string; commonDir: string }, env: Environment): string[] {
  return [root, ...checkoutsAround(root, env), ...checkoutsAround(commonDir, env)];
}

/**
 * PATH without what a checkout could put there: `npx` and `npm run` begin it with the `node_modules/.bin` of every folder above the
 * current one, in whichever checkout that is, and a relative folder stands for whatever the current one is.
 */
export function trustedPath({ PATH = '' }: Environment, roots: readonly string[]): string {
  const real = roots.map(realPath);
  return PATH.split(delimiter)
    .filter(
      (folder) =>
        isAbsolute(folder) &&
        ![folder, realPath(folder)].some((path) => isOfPackages(path) || isWithin(path, [...roots, ...real])),
    )
    .join(delimiter);
}

/** The absolute path of a program, which is not in a checkout, nor a link into one. */
export function trustedProgram(name: string, env: Environment, roots: readonly string[]): string | undefined {
  const real = roots.map(realPath);
  return trustedPath(env, roots)
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((path) => isProgram(path) && !isWithin(realPath(path), real));
}

function isOfPackages(folder: string): boolean {
  return folder.split(sep).includes('node_modules');
}

function isWithin(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => isInside(path, folder));
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
