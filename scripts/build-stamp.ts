import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '..');
/** Next to V8's compile cache, which every build removes. */
const stampFile = join(root, '.cache', 'built');

/** A hash of everything that dist/ is made from. */
export function buildStamp(): string {
  const hash = createHash('sha256');
  const inputs = globSync(['{src,web,scripts}/**', 'package*.json', 'tsconfig*.json'], {
    cwd: root,
    withFileTypes: true,
  })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  for (const path of inputs.toSorted()) hash.update(`${path}\n`).update(readFileSync(path));
  return hash.digest('hex');
}

export function writeStamp(stamp: string): void {
  mkdirSync(dirname(stampFile), { recursive: true });
  writeFileSync(stampFile, stamp);
}

/** Whether dist/ was made from the current sources. */
export function isBuilt(): boolean {
  return existsSync(join(root, 'dist')) && existsSync(stampFile) && readFileSync(stampFile, 'utf8') === buildStamp();
}
