import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder and its parents, for its user alone unless the mode says otherwise. One by one: where a folder can be looked up but not made, as in /proc,
 * the recursive `mkdir` of Node.js loops for ever.
 */
export function makeFolder(path: string, mode = 0o700): void {
  const missing: string[] = [];
  for (let each = path; statSync(each, { throwIfNoEntry: false }) === undefined; each = dirname(each))
    missing.push(each);
  for (const each of missing.toReversed()) {
    try {
      mkdirSync(each, { mode });
    } catch (error) {
      // Another process may have made it meanwhile.
      if (statSync(each, { throwIfNoEntry: false })?.isDirectory() !== true) throw error;
    }
  }
}
