import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { owners } from '../../src/run/sources/isolated.ts';
import { isolations } from '../../src/words/vocabulary.ts';
import { listCopies, reclaim } from '../../src/workspace/reclaim.ts';
import { fingerprint, makeCheckout, workIn } from '../support/checkouts.ts';
import { processesWith } from '../support/processes.ts';

/** `npm run soak:workspace` sets it to 200. */
const runs = Number(process.env['SOAK_RUNS'] ?? 1);
const kills = Math.ceil(runs / 10);
const isSoak = runs > 1;

const place = makeCheckout();
afterAll(() => place.remove());
const { git } = place;
const big = Object.fromEntries(
  Array.from({ length: 60 }, (_, index) => [`many/${index % 6}/${index}.txt`, `file ${index}\n`]),
);
const root = place.checkout('project', {
  'README.md': 'read me\n',
  'src/main.ts': 'export {};\n',
  'bin/tool': '#!/bin/sh\n',
  ...big,
});
git(root, 'branch', 'side', 'main');
git(root, 'tag', 'v1');
git(root, 'config', 'alias.st', 'status');
git(root, 'commit', '-q', '--allow-empty', '-m', 'second');

/** What stays inside any copy. */
const anywhere = [
  'echo "$RANDOM new" > new-$$.txt',
  'mkdir -p a/b && echo x > a/b/c',
  'rm -rf src',
  'git mv README.md READ.md',
  'chmod +x many/0/0.txt',
  'rm -f many/1/*; echo x > many/1/7.txt',
  'rm -rf many/2; echo file > many/2',
  'ln -sf ../nowhere link',
  'git add -A; git commit -qm work',
  'git commit -q --amend -m amended',
  'git checkout -q --detach; git commit -q --allow-empty -m detached',
  'git add -A; git reset -q --hard HEAD~1',
  'touch "$(git rev-parse --git-dir)/index.lock"',
  'git clean -fdqx',
  'git init -q nested; echo n > nested/n',
];
/** What a worktree shares with the checkout. */
const apart = [
  'echo s > stash.txt; git stash -q -u',
  'git branch more; git branch -D side',
  'git tag -d v1; git tag v2',
  'git config user.name Eve; git config core.bare true; git config core.bare false',
  'echo "exit 1" > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit',
  'git checkout -q -B main; git merge -q side',
  'git gc -q --prune=now',
  'git pack-refs --all',
  'git worktree add -q inside-tree 2>&1',
  'rm -rf .git; git init -q',
];
/** What only an overlay keeps in. */
const absolute = [
  `echo x > '${root}/absolute'`,
  `rm -rf '${root}/.git/refs/tags'`,
  `git -C '${root}' checkout -q side`,
];
const workFor = { overlay: [...anywhere, ...apart, ...absolute], clone: [...anywhere, ...apart], worktree: anywhere };

/** The files as they are in the end, told by the shell and not by git. */
const listing = `cd "$(git rev-parse --show-toplevel)"; echo; echo FILES; find . -name .git -prune -o -type f -print | sort | cut -c3-`;

describe.each(isolations)('%s', (isolate) => {
  it('leaves the checkout byte-identical, and every file that was left is kept', async () => {
    const before = fingerprint(root);
    let number = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...workFor[isolate]), { minLength: 1, maxLength: 8 }),
        async (steps) => {
          const branch = `runwire/${isolate}/${(number += 1)}-work`;
          const script = [...steps.map((step) => `(${step}) >/dev/null 2>&1`), listing].join('\n');
          const { kept, ran } = await workIn(place, root, script, { isolate, branch });
          const left = ran.output.split('\nFILES\n')[1]?.trim().split('\n') ?? [];
          const tree = git(root, 'ls-tree', '-r', kept.commit).split('\n');
          expect(tree.flatMap((line) => (line.startsWith('100') ? [line.split('\t')[1]] : []))).toEqual(
            left.filter((path) => path !== ''),
          );
          expect(fingerprint(root)).toEqual(before);
        },
      ),
      { numRuns: runs, endOnFailure: true },
    );
    expect(listCopies(place.env, owners)).toEqual([]);
  });

  it.runIf(isSoak || isolate === 'overlay')(
    'leaves it so when Runwire is killed in the middle; what was done is kept later',
    async () => {
      const before = fingerprint(root);
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 0, max: 900 }), async (delay) => {
          const script =
            'echo work > work.txt; git add -A; git commit -qm work; echo more > more.txt; echo ready; sleep 30';
          const program = join(import.meta.dirname, '..', '..', 'bin', 'runwire.js');
          const args = [
            program,
            'run',
            `--isolate=${isolate}`,
            `--cwd=${root}`,
            '--ledger=none',
            '--',
            'sh',
            '-c',
            script,
          ];
          const child = spawn(process.execPath, args, {
            env: { ...place.env, MARK: place.folder },
            stdio: ['ignore', 'pipe', 'pipe'],
          });
          const ended = once(child, 'exit');
          await Promise.race([wait(delay), ended]);
          child.kill('SIGKILL');
          await ended;
          while (processesWith(place.folder).length > 0) await wait(20);
          const { copies } = await reclaim(place.env, { owners });
          for (const { problem, kept } of copies) {
            expect(problem).toBeUndefined();
            if (kept?.changes.some(({ path }) => path === 'more.txt') === true)
              expect(git(root, 'show', `${kept.commit}:work.txt`)).toBe('work');
          }
          expect(listCopies(place.env, owners)).toEqual([]);
          expect(fingerprint(root)).toEqual(before);
        }),
        { numRuns: kills, endOnFailure: true },
      );
      expect(git(root, 'fsck', '--strict', '--no-dangling')).toBe('');
    },
  );
});
