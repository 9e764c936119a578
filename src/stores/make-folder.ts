import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * A folder with all above it, for its user alone unless the mode says otherwise. One by one: where a folder can be looked for but not made, as in /proc,
 * the recursive way of Node.js goes round for ever.
 */
export function makeFolder(path: string, mode = 0o700): void {
  const missing: string[] = [];
  for (let each = path; statSync(each, { throwIfNoEntry: false }) === undefined; each = dirname(each)) missing.push(each);
  for (const each of missing.toReversed()) {
    try {
      mkdirSync(each, { mode });
    } catch (error) {
      // Somebody else has made it meanwhile.
      if (statSync(each, { throwIfNoEntry: false })?.isDirectory() !== true) throw error;
    }
  }
}
