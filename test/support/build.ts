import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** The tests run what a user runs: the built command and the built library. */
export function setup(): void {
  execFileSync(process.execPath, [join(import.meta.dirname, '..', '..', 'scripts', 'build.ts')], { stdio: 'inherit' });
}
