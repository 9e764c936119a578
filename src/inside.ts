import { isAbsolute, relative, sep } from 'node:path';

/** A path as it is called from a folder that it is in; empty for the folder itself. Undefined: it is elsewhere. Links are not followed. */
export function pathInside(folder: string, path: string): string | undefined {
  const below = relative(folder, path);
  // On another drive there is no way from one to the other.
  return below === '..' || below.startsWith(`..${sep}`) || isAbsolute(below) ? undefined : below;
}

/** A folder is inside itself. */
export function isInside(path: string, folder: string): boolean {
  return pathInside(folder, path) !== undefined;
}
