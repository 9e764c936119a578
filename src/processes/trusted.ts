import { accessSync, constants, existsSync, realpathSync, statSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join, sep } from 'node:path';
import { isInside } from '../inside.ts';
import type { Environment } from '../vocabulary.ts';

/** Folders of programs that no checkout holds; first in the scripts that we run. */
export const systemFolders = '/usr/sbin:/usr/bin:/sbin:/bin';

/** The nearest checkout that a folder is in, or the folder itself. */
export function checkoutAround(folder: string): string {
  for (let each = folder; ; each = dirname(each)) {
    if (existsSync(join(each, '.git'))) return each;
    if (dirname(each) === each) return folder;
  }
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
        isAbsolute(folder) && ![folder, realPath(folder)].some((path) => isOfPackages(path) || isWithin(path, [...roots, ...real])),
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
