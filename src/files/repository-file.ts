import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, realpathSync, type Stats } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { systemCode } from '../failure.ts';
import { isInside } from './inside.ts';

/** What was read from a file that a repository supplies. */
export interface RepositoryFile {
  text: string;
  /** Bytes beyond the bound, which were not read. */
  leftOut: number;
}

/** Why an existing file is not read. */
export class NotRead extends Error {}

/** Without O_NONBLOCK, opening a FIFO waits for its other end for ever. */
const careful = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * The only way to read files that a repository supplies, because a checkout may come from anyone. Only a regular file is opened; it must not
 * be a link, nor may links on the path lead out of `root`; and no more than `maxBytes` is read. Undefined: there is no such file.
 */
export function readRepositoryFile(
  path: string,
  { root, maxBytes }: { root: string; maxBytes: number },
): RepositoryFile | undefined {
  try {
    const folder = realpathSync.native(dirname(path));
    const real = join(folder, basename(path));
    const seen = lstatSync(real);
    mustBeRegular(seen);
    if (!isInside(folder, realpathSync.native(root)))
      throw new NotRead(`it is behind a link that leads out of ${root}`);
    return readOpened(openSync(real, careful), seen, maxBytes);
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error instanceof NotRead ? error : new NotRead(code ?? String(error), { cause: error });
  }
}

function readOpened(file: number, seen: Stats, maxBytes: number): RepositoryFile {
  try {
    const { size, ino, dev } = fstatSync(file);
    if (ino !== seen.ino || dev !== seen.dev) throw new NotRead('it was replaced while it was opened');
    const bytes = Buffer.alloc(Math.min(size, maxBytes));
    let length = 0;
    while (length < bytes.length) {
      const count = readSync(file, bytes, length, bytes.length - length, length);
      if (count === 0) break;
      length += count;
    }
    // In stream mode, half a character at the cut is not decoded into a wrong one.
    const text = new TextDecoder().decode(bytes.subarray(0, length), { stream: size > maxBytes });
    return { text, leftOut: Math.max(0, size - maxBytes) };
  } finally {
    closeSync(file);
  }
}

function mustBeRegular(stat: Stats): void {
  if (stat.isSymbolicLink()) throw new NotRead('it is a link, and links of a repository are not followed');
  if (stat.isDirectory()) throw new NotRead('it is a folder, not a regular file');
  if (!stat.isFile()) throw new NotRead('it is not a regular file');
}
