import { createHash } from 'node:crypto';
import { constants, existsSync, lstatSync, readdirSync } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const name = /^[0-9a-f]{64}$/;
/** A file may have holes, and be larger than any disk. */
const mostBytes = 32 * 1024 ** 3;
const chunk = 256 * 1024;
const nothing = Buffer.alloc(chunk);
/** It may have become a link or a pipe by now. */
const careful = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * Copies the files that Git LFS put aside while a copy was read to where the user's repository has them. They are named after their
 * contents; others are left out. Returns what could not be copied.
 */
export async function bringLfsObjects(
  gitDir: string,
  repository: string,
  signal: AbortSignal | undefined,
): Promise<string[]> {
  const lost: string[] = [];
  const [from, to] = [join(gitDir, 'lfs', 'objects'), join(repository, 'lfs', 'objects')];
  if (![gitDir, join(gitDir, 'lfs'), from].every(isFolder)) return lost;
  const folders = foldersIn(from).flatMap((first) => foldersIn(join(from, first)).map((second) => join(first, second)));
  for (const folder of folders) {
    for (const oid of readdirSync(join(from, folder)).filter((each) => name.test(each))) {
      const path = join(from, folder, oid);
      const target = join(to, oid.slice(0, 2), oid.slice(2, 4), oid);
      const found = lstatSync(path);
      if (existsSync(target) || !found.isFile()) continue;
      if (found.size > mostBytes) {
        lost.push(`the file ${oid} of Git LFS, which is too large`);
        continue;
      }
      await mkdir(dirname(target), { recursive: true });
      if ((await copyOf(path, `${target}.new`, signal)) === oid) await rename(`${target}.new`, target);
      else await rm(`${target}.new`, { force: true });
    }
  }
  return lost;
}

/** Not a link to one, which could lead anywhere. */
function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function foldersIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
}

/** Copies a file with its holes, which would fill the disk; returns its SHA-256. */
async function copyOf(from: string, to: string, signal: AbortSignal | undefined): Promise<string> {
  const hash = createHash('sha256');
  const [source, copy] = [await open(from, careful), await open(to, 'w')];
  try {
    const bytes = Buffer.alloc(chunk);
    let size = 0;
    for (;;) {
      signal?.throwIfAborted();
      const { bytesRead } = await source.read(bytes, 0, chunk);
      if (bytesRead === 0) break;
      const part = bytes.subarray(0, bytesRead);
      hash.update(part);
      if (!part.equals(nothing.subarray(0, bytesRead))) await copy.write(part, 0, bytesRead, size);
      size += bytesRead;
    }
    await copy.truncate(size);
    return hash.digest('hex');
  } finally {
    await Promise.all([source.close(), copy.close()]);
  }
}
