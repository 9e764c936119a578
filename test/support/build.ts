import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isBuilt } from '../../scripts/build-stamp.ts';

/** The tests run what a user runs: the built command and the built library. All temporary files are in one folder, removed at the end. */
export function setup(): () => void {
  if (!isBuilt())
    execFileSync(process.execPath, [join(import.meta.dirname, '..', '..', 'scripts', 'build.ts')], {
      stdio: 'inherit',
    });
  const folder = mkdtempSync(join(tmpdir(), 'runwire-test-'));
  // PostgreSQL refuses to be root's, and as somebody else it must get to its own folder in here.
  chmodSync(folder, 0o711);
  process.env.TMPDIR = folder;
  process.env.XDG_STATE_HOME = join(folder, 'state');
  return () => {
    if (existsSync(sharedProcess(folder))) process.kill(Number(readFileSync(sharedProcess(folder), 'utf8')), 'SIGQUIT');
    // A server that is ending may still write.
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  };
}

/** Holds the id of the process that test files share, if they have started one; it ends with vitest. */
export const sharedProcess = (folder: string): string => join(folder, 'shared-process');
