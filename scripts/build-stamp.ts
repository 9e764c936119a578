import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '..');
/** Beside what V8 compiled, which goes with every build. */
const stampFile = join(root, '.cache', 'built');

/** A name for all that dist/ is made from. */
export function buildStamp(): string {
  const hash = createHash('sha256');
  const inputs = globSync(['{src,web,scripts}/**', 'package*.json', 'tsconfig*.json'], { cwd: root, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  for (const path of inputs.toSorted()) hash.update(`${path}\n`).update(readFileSync(path));
  return hash.digest('hex');
}

export function writeStamp(stamp: string): void {
  mkdirSync(dirname(stampFile), { recursive: true });
  writeFileSync(stampFile, stamp);
}

/** Whether dist/ was made from what is there now. */
export function isBuilt(): boolean {
  return existsSync(join(root, 'dist')) && existsSync(stampFile) && readFileSync(stampFile, 'utf8') === buildStamp();
}
