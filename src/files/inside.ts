import { isAbsolute, relative, sep } from 'node:path';

/** A path relative to a folder that contains it; empty for the folder itself. Undefined: it is elsewhere. Links are not followed. */
export function pathInside(folder: string, path: string): string | undefined {
  const below = relative(folder, path);
  // Between two drives there is no relative path, so the result is absolute.
  return below === '..' || below.startsWith(`..${sep}`) || isAbsolute(below) ? undefined : below;
}

/** A folder is inside itself. */
export function isInside(path: string, folder: string): boolean {
  return pathInside(folder, path) !== undefined;
}
