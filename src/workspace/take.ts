import { shellScript } from '../files/shell-script.ts';

/**
 * Shell functions. `take INDEX` adds the files below the current folder to that index, which must be the current one. It keeps its
 * own files in `folder`, and writes remarks for people to `notes` there, and to `lost` what could not be added. Lists have a path a
 * line; for a line break in a path stands a byte that no path has (`mark`).
 */
export const taking = shellScript(import.meta.dirname, 'scripts/take.sh');
