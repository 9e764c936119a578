import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { isolations } from '../../src/words/vocabulary.ts';
import { makeCheckout, workIn, writeFiles } from '../support/checkouts.ts';
import { some, sweep } from '../support/sweep.ts';

const place = makeCheckout('runwire-hostile-files-');
afterAll(() => place.remove());
const { git } = place;
const gitDir = '"$(git rev-parse --absolute-git-dir)"';
const commonDir = '"$(cd "$(git rev-parse --git-common-dir)" && pwd)"';

/** What git would wait for, or read without an end, in place of a file that it reads. */
const inPlaceOfFiles: Record<string, string> = {
  'a pipe as index': `cd ${gitDir}; rm -f index; mkfifo index`,
  'a pipe as HEAD': `cd ${gitDir}; rm -f HEAD; mkfifo HEAD`,
  'a link without an end as index': `cd ${gitDir}; rm -f index; ln -s /dev/zero index`,
  'a link without an end as HEAD': `cd ${gitDir}; rm -f HEAD; ln -s /dev/zero HEAD`,
  'pipes that git reads in every folder':
    'mkdir -p deep/er; for name in gitignore gitattributes gitmodules; do mkfifo .$name deep/er/.$name; done',
  'links without an end that git reads': 'ln -s /dev/zero .gitignore; ln -s /dev/zero .gitattributes',
  'a repository inside with a pipe as HEAD':
    'git init -q inner; rm inner/.git/HEAD; mkfifo inner/.git/HEAD; echo a > inner/a',
  'a repository inside that is a pipe': 'mkdir inner; mkfifo inner/.git; echo a > inner/a',
  'sockets and pipes': 'mkfifo pipe; mkdir d; mkfifo d/pipe',
};
/** A worktree has these in common with the user's repository. */
const inPlaceOfSharedFiles: Record<string, string> = {
  'pipes as refs': `cd ${commonDir}; mkfifo refs/heads/pipe packed-refs 2>/dev/null; rm -f packed-refs; mkfifo packed-refs`,
  'a pipe as config': `cd ${commonDir}; rm config; mkfifo config`,
  'pipes as objects': `cd ${commonDir}/objects; mkdir -p aa info; mkfifo aa/${'b'.repeat(38)} info/commit-graph`,
  'alternates that are a pipe': `cd ${commonDir}/objects; mkdir -p info; rm -f info/alternates; mkfifo info/alternates`,
  'a git folder that is a pipe': 'rm -rf .git; mkfifo .git',
  'a git folder that is a link': 'mv .git elsewhere; ln -s elsewhere .git',
};

const ways = [
  ...sweep(Object.entries(inPlaceOfFiles), isolations),
  ...sweep(Object.entries(inPlaceOfSharedFiles), ['overlay', 'clone'] as const),
].map(([[title, script], isolate]) => [isolate, title, script] as const);

describe.skipIf(process.platform !== 'linux').concurrent('a copy', () => {
  it.each(some(ways))('%s: keeps the work beside %s', async (isolate, _, script) => {
    const root = place.checkout('project');
    const { kept } = await workIn(place, root, `echo work > work; (${script})`, { isolate });
    expect(kept.changes.map(({ path }) => path)).toContain('work');
    expect(kept.lost).toEqual([]);
    expect(git(root, 'show', `${kept.commit}:work`)).toBe('work');
  });
});

describe.skipIf(process.platform !== 'linux').concurrent.each(some(isolations, 3))('%s', (isolate) => {
  it('keeps changes that the index was told to overlook', async () => {
    const root = place.checkout('project', { a: 'a\n', b: 'b\n', c: 'c\n', d: 'd\n' });
    const script =
      'git update-index --skip-worktree a b; git update-index --assume-unchanged c d; echo changed > a; rm b; echo changed > c; rm d';
    const { kept } = await workIn(place, root, script, { isolate });
    expect(kept.changes.map(({ path, operation }) => `${operation} ${path}`)).toEqual([
      'modified a',
      'deleted b',
      'modified c',
      'deleted d',
    ]);
  });

  it('says what it could not keep', async () => {
    const root = place.checkout('project', { '.gitattributes': '*.secret filter=seal\n', 'a.secret': 'sealed\n' });
    git(root, 'config', 'filter.seal.clean', 'false');
    git(root, 'config', 'filter.seal.required', 'true');
    const { kept } = await workIn(place, root, 'echo open > a.secret; echo work > work', { isolate });
    expect([kept.changes.map(({ path }) => path), kept.lost.length]).toEqual([['work'], 1]);
    expect(kept.lost[0]).toContain('a.secret');
  });
});

describe.skipIf(process.platform !== 'linux').each(some(['overlay', 'clone'] as const))(
  'files with holes in a copy by %s',
  (isolate) => {
    it('are not copied where they stand for lists of git, and that is said', async () => {
      const root = place.checkout('project');
      const script = `echo work > work; cd ${commonDir}; truncate -s 300M packed-refs logs/HEAD refs/heads/long index shallow`;
      const { kept } = await workIn(place, root, script, { isolate });
      expect(kept.changes.map(({ path }) => path)).toEqual(['work']);
      expect(kept.lost).toEqual(['branches and tags, whose list is too long']);
    });

    it('keep their holes as objects of Git LFS, and one whose name is not that of its contents stays behind', async () => {
      const root = place.checkout('project');
      const [right, wrong] = [
        createHash('sha256')
          .update(Buffer.alloc(64 * 1024 * 1024))
          .digest('hex'),
        'ab'.repeat(32),
      ];
      const at = (name: string): string => join('lfs/objects', name.slice(0, 2), name.slice(2, 4), name);
      const make = [right, wrong].map((name) => `mkdir -p ${dirname(at(name))}; truncate -s 64M ${at(name)}`);
      const { kept } = await workIn(place, root, `echo work > work; cd ${commonDir}; ${make.join('; ')}`, { isolate });
      const { size, blocks } = statSync(join(root, '.git', at(right)));
      expect([size, blocks * 512 < 1024 * 1024, kept.lost]).toEqual([64 * 1024 * 1024, true, []]);
      expect(readdirSync(join(root, '.git', dirname(at(wrong))))).toEqual([]);
    });
  },
);

it('keeps what is left out of a sparse checkout as it was', async () => {
  const root = place.checkout('project', { 'in/a': 'a\n', 'out/b': 'b\n', 'out/c': 'c\n' });
  git(root, 'sparse-checkout', 'set', 'in');
  for (const isolate of isolations) {
    const { kept } = await workIn(place, root, 'echo changed > in/a; mkdir -p out; echo changed > out/b', {
      isolate,
      branch: `runwire/sparse/${isolate}`,
    });
    expect(kept.changes.map(({ path, operation }) => `${operation} ${path}`)).toEqual([
      'modified in/a',
      'modified out/b',
    ]);
  }
});

describe.skipIf(process.platform !== 'linux')('a checkout', () => {
  it.each(['.gitignore', 'deep/.gitattributes', '.git/HEAD', '.git/index'])(
    'whose %s is a pipe is refused, and nobody waits',
    async (path) => {
      const root = place.checkout('project');
      writeFiles(root, { 'deep/file': 'x\n' });
      execFileSync('/bin/sh', ['-c', 'rm -f "$1"; mkfifo "$1"', 'sh', join(root, path)]);
      await expect(workIn(place, root, ':', { dirty: 'include' })).rejects.toThrow(
        /is a named pipe or a device, and git would wait for it for ever|not a git repository/,
      );
      expect(lstatSync(join(root, path)).isFIFO()).toBe(true);
    },
  );
});
