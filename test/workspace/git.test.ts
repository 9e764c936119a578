import { appendFileSync, chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { Git } from '../../src/workspace/git.ts';

/** A git that answers with what a file held when it began, when it is let go. */
const slowGit = `#!/bin/sh
told=$(cat state)
echo begun >> log
while [ ! -e go ]; do sleep 0.02; done
echo "$told"
`;

it('those who ask during a look share the next one, which sees what was there when they asked', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'runwire-test-'));
  try {
    writeFileSync(join(folder, 'git'), slowGit);
    chmodSync(join(folder, 'git'), 0o755);
    writeFileSync(join(folder, 'state'), 'old');
    const looks = (): number => (existsSync(join(folder, 'log')) ? readFileSync(join(folder, 'log'), 'utf8').split('\n').length - 1 : 0);
    const env = { PATH: `${folder}:${process.env['PATH'] ?? ''}` };
    const look = (): Promise<string> => new Git(folder, env).sharedText(['status']);
    const first = look();
    await vi.waitUntil(() => looks() === 1, 20_000);
    writeFileSync(join(folder, 'state'), 'new');
    const others = Array.from({ length: 20 }, look);
    appendFileSync(join(folder, 'go'), '');
    expect([await first, ...new Set(await Promise.all(others)), looks()]).toEqual(['old', 'new', 2]);
    writeFileSync(join(folder, 'state'), 'newest');
    expect([await look(), looks()]).toEqual(['newest', 3]);
    // A look that fails fails for those who shared it, and for nobody else.
    writeFileSync(join(folder, 'git'), '#!/bin/sh\nexit 3\n');
    await expect(look()).rejects.toThrow('exit code 3');
    writeFileSync(join(folder, 'git'), '#!/bin/sh\necho well\n');
    expect(await look()).toBe('well');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
