import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Git } from '../../src/workspace/git.ts';

/** A git that answers with what a file held when it began, when it is let go. */
const slowGit = `#!/bin/sh
[ "$1" = config ] && exit
told=$(cat state)
echo begun >> log
while [ ! -e go ]; do sleep 0.02; done
echo "$told"
`;

it('those who ask during a look share the next one, which sees what was there when they asked', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'runwire-test-'));
  try {
    mkdirSync(join(folder, 'bin'));
    const work = join(folder, 'work');
    mkdirSync(work);
    const program = join(folder, 'bin', 'git');
    writeFileSync(program, slowGit);
    chmodSync(program, 0o755);
    writeFileSync(join(work, 'state'), 'old');
    const looks = (): number =>
      existsSync(join(work, 'log')) ? readFileSync(join(work, 'log'), 'utf8').split('\n').length - 1 : 0;
    const env = { PATH: `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}` };
    const look = (): Promise<string> => new Git(work, env).sharedText(['status']);
    const first = look();
    await expect.poll(looks).toBe(1);
    writeFileSync(join(work, 'state'), 'new');
    const others = Array.from({ length: 20 }, look);
    appendFileSync(join(work, 'go'), '');
    expect([await first, ...new Set(await Promise.all(others)), looks()]).toEqual(['old', 'new', 2]);
    writeFileSync(join(work, 'state'), 'newest');
    expect([await look(), looks()]).toEqual(['newest', 3]);
    // A look that fails fails for those who shared it, and for nobody else.
    writeFileSync(program, '#!/bin/sh\nexit 3\n');
    await expect(look()).rejects.toThrow('exit code 3');
    writeFileSync(program, '#!/bin/sh\necho well\n');
    expect(await look()).toBe('well');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
