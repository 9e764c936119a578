import { readFile, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** How many folders up from the program its package.json is looked for. */
const levels = 5;

/** The version in the package.json of a program's package; undefined: it has none. */
export async function packagedVersion(path: string): Promise<string | undefined> {
  let folder = dirname(await realpath(path).catch(() => path));
  for (let level = 0; level < levels && folder !== dirname(folder); level += 1, folder = dirname(folder)) {
    const manifest = await readManifest(join(folder, 'package.json'));
    if (manifest === undefined) continue;
    const { bin, version } = manifest;
    const isIts =
      typeof bin === 'string' || (typeof bin === 'object' && bin !== null && Object.hasOwn(bin, basename(path)));
    return isIts && typeof version === 'string' ? version : undefined;
  }
  return undefined;
}

async function readManifest(path: string): Promise<{ bin?: unknown; version?: unknown } | undefined> {
  try {
    const manifest: unknown = JSON.parse(await readFile(path, 'utf8'));
    return typeof manifest === 'object' && manifest !== null ? manifest : undefined;
  } catch {
    return undefined;
  }
}
