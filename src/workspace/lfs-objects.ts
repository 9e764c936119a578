import { createHash } from 'node:crypto';
import { createReadStream, existsSync, lstatSync, readdirSync } from 'node:fs';
import { copyFile, mkdir, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';

const name = /^[0-9a-f]{64}$/;
/** A file may have holes, and be larger than any disk. */
const mostBytes = 32 * 1024 ** 3;

/**
 * Copies the files that Git LFS put aside while a copy was read to where the user's repository has them. They are named after their
 * contents; others are left out. Returns what could not be copied.
 */
export async function bringLfsObjects(gitDir: string, repository: string, signal: AbortSignal | undefined): Promise<string[]> {
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
      if ((await sha256Of(path, signal)) !== oid) continue;
      await mkdir(dirname(target), { recursive: true });
      await copyFile(path, `${target}.new`);
      await rename(`${target}.new`, target);
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

async function sha256Of(path: string, signal: AbortSignal | undefined): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash, { signal: signal ?? new AbortController().signal });
  return hash.digest('hex');
}
