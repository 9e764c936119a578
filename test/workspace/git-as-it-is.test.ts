import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openRepository } from '../../src/workspace/repository.ts';
import { freeName } from '../../src/workspace/branch-name.ts';
import { type IsolationKind, isolations } from '../../src/words/vocabulary.ts';
import { fingerprint, makeCheckout, workIn, writeFiles } from '../support/checkouts.ts';
import { isSweep, some, sweep } from '../support/sweep.ts';

const place = makeCheckout();
afterAll(() => place.remove());
const { git } = place;
const fresh = (files?: Record<string, string>): string => place.checkout('project', files);
const show = (root: string, what: string): string => git(root, 'show', what);
const files = (root: string, commit: string): string[] =>
  git(root, 'ls-tree', '-r', '--name-only', '-z', commit).split('\0').slice(0, -1);

const inAnyCopy: Record<string, (isolate: IsolationKind) => Promise<void>> = {
  async 'keeps what was committed and what was not, and leaves the checkout as it was'(isolate) {
    const root = fresh({ 'README.md': 'read me\n', 'old.txt': 'old\n', 'file/inner': 'x\n', '.gitignore': '*.log\n' });
    const before = fingerprint(root);
    const script = `
      echo one > committed; git add -A; git commit -qm 'own words'
      echo two >> README.md; rm old.txt; echo three > untracked; echo no > debug.log
      rm -r file; echo now-a-file > file; mkdir untracked.d; echo deep > untracked.d/a`;
    const { kept } = await workIn(place, root, script, { isolate });
    expect(kept.changes.map(({ path, operation }) => `${operation} ${path}`).toSorted()).toEqual([
      'created committed',
      'created file',
      'created untracked',
      'created untracked.d/a',
      'deleted file/inner',
      'deleted old.txt',
      'modified README.md',
    ]);
    expect(git(root, 'log', '--format=%s%n%an', kept.branch)).toBe(
      'Work that was left uncommitted\nAda\nown words\nAda\nfirst\nAda',
    );
    expect(git(root, 'rev-parse', kept.branch)).toBe(kept.commit);
    expect(fingerprint(root)).toEqual(before);
    expect(git(root, 'fsck', '--strict', '--no-dangling')).toBe('');
    expect(kept.notes).toEqual([]);
  },
  async 'keeps other branches and stashed work, wherever its agent ends up'(isolate) {
    const root = fresh();
    const before = fingerprint(root);
    const script = `
      echo 1 > one; git add -A; git commit -qm one
      echo stashed > stashed; git stash -q -u
      git checkout -q -b changes main; echo 2 > two; git add -A; git commit -qm two
      git checkout -q --detach main; echo 3 > three; git add -A; git commit -qm three; echo 4 > four`;
    const { kept } = await workIn(place, root, script, { isolate });
    expect(files(root, kept.commit)).toEqual(['README.md', 'four', 'src/main.ts', 'three']);
    if (isolate === 'worktree') return;
    const also = git(root, 'for-each-ref', '--format=%(refname:strip=4)', 'refs/heads/runwire').split('\n');
    expect(also).toEqual(['1-work', '1-work-also/changes', '1-work-also/runwire/test/1-work', '1-work-also/stash']);
    expect(show(root, 'runwire/test/1-work-also/changes:two')).toBe('2');
    expect(show(root, 'runwire/test/1-work-also/runwire/test/1-work:one')).toBe('1');
    expect(show(root, 'runwire/test/1-work-also/stash^3:stashed')).toBe('stashed');
    expect(kept.notes).toContain('stashed work is kept as runwire/test/1-work-also/stash');
    expect(fingerprint(root)).toEqual(before);
  },
  async 'keeps what was staged and not committed, which only the index of the copy knows'(isolate) {
    const root = fresh();
    const { kept } = await workIn(
      place,
      root,
      'echo staged > staged; mkdir d; echo deep > d/deep; touch -d "1 hour ago" staged d/deep; git add -A; sleep 1.1; git status -s',
      { isolate },
    );
    expect(files(root, kept.commit)).toEqual(['README.md', 'd/deep', 'src/main.ts', 'staged']);
    expect(show(root, `${kept.commit}:d/deep`)).toBe('deep');
    expect(kept.notes).toEqual([]);
  },
  async 'takes odd names, a folder of state too'(isolate) {
    const odd = `-o d, d:"'\\d\n é ☃`;
    const root = place.checkout(`odd-${isolate} ${odd}`, { 'a.txt': 'a\n', [`${odd}/x`]: 'x\n' });
    const before = fingerprint(root);
    const env = { ...place.env, XDG_STATE_HOME: join(place.folder, `state 'of" é`) };
    const script = `pwd; printf '%s' new > "$(printf 'quote"\\nand\\ttab')"; echo y > -y; ls`;
    const { kept, workspace } = await workIn({ env }, join(root, odd), script, { isolate });
    expect(workspace.isolation).toBe(isolate);
    expect(kept.changes.map(({ path }) => path).toSorted()).toEqual([`${odd}/-y`, `${odd}/quote"\nand\ttab`]);
    expect(fingerprint(root)).toEqual(before);
  },
};

/** Every other situation in one kind of copy, so that each kind has its turn; in `npm run test:sweeps`, each in every kind. */
describe.concurrent('a copy', () => {
  it.each(
    some(sweep(Object.entries(inAnyCopy), isolations), 3).map(
      ([[title, test], isolate]) => [isolate, title, test] as const,
    ),
  )('%s: %s', (isolate, _, test) => test(isolate));
});

const inCopiesWithARepository: Record<string, (isolate: 'overlay' | 'clone') => Promise<void>> = {
  async 'starts from a detached HEAD, from another branch, and from a folder below the top'(isolate) {
    const root = fresh({ 'sub/a.txt': 'a\n' });
    git(root, 'checkout', '-q', '-b', 'other');
    writeFiles(root, { 'sub/b.txt': 'b\n' });
    git(root, 'add', '-A');
    git(root, 'commit', '-qm', 'second');
    git(root, 'checkout', '-q', '--detach', 'main');
    const before = fingerprint(root);
    const detached = await workIn(place, join(root, 'sub'), 'ls; echo c > c.txt', {
      isolate,
      branch: 'runwire/d/1-detached',
    });
    expect(detached.ran.output).toBe('a.txt\n');
    expect(detached.kept.changes.map(({ path }) => path)).toEqual(['sub/c.txt']);
    expect(detached.workspace.base.branchId).toBe(git(root, 'rev-parse', 'main'));
    const other = await workIn(place, join(root, 'sub'), 'ls', { isolate, from: 'other', branch: 'runwire/d/2-other' });
    expect(other.ran.output).toBe('a.txt\nb.txt\n');
    expect(other.kept).toMatchObject({ commit: git(root, 'rev-parse', 'other'), changes: [] });
    await expect(workIn(place, root, ':', { isolate, from: '--upload-pack=x' })).rejects.toThrow(
      'there is no branch or commit',
    );
    expect(fingerprint(root)).toEqual(before);
  },
  async 'refuses uncommitted changes, works without them, or on them'(isolate) {
    const root = fresh({ 'a.txt': 'a\n', 'b.txt': 'b\n', '.env': 'KEY=1\n', '.gitignore': '.env\n' });
    writeFiles(root, { 'a.txt': 'changed\n', 'new.txt': 'new\n', 'staged.txt': 'staged\n' });
    git(root, 'add', 'staged.txt');
    const before = fingerprint(root);
    const script = 'cat a.txt; ls; git status --short; echo done > done.txt; cat .env 2>/dev/null; :';
    const ignoredFile = isolate === 'overlay' ? 'KEY=1\n' : '';
    await expect(workIn(place, root, script, { isolate })).rejects.toThrow(
      'there are uncommitted changes (a.txt, staged.txt, new.txt); commit them, or choose --dirty include (work on them) or --dirty ignore (work without them)',
    );
    const ignored = await workIn(place, root, script, { isolate, dirty: 'ignore', branch: 'runwire/dirty/1-ignored' });
    expect(ignored.ran.output).toBe(`a\na.txt\nb.txt\n${ignoredFile}`);
    expect(ignored.kept.changes.map(({ path }) => path)).toEqual(['done.txt']);
    const included = await workIn(place, root, script, {
      isolate,
      dirty: 'include',
      branch: 'runwire/dirty/2-included',
    });
    expect(included.ran.output).toBe(`changed\na.txt\nb.txt\nnew.txt\nstaged.txt\n${ignoredFile}`);
    expect(included.kept.changes.map(({ path }) => path)).toEqual(['done.txt']);
    expect(git(root, 'log', '--format=%s', included.kept.commit)).toBe(
      'Work that was left uncommitted\nUncommitted changes\nfirst',
    );
    expect(fingerprint(root)).toEqual(before);
  },
  async 'runs the hooks of the repository for its agent, and never for us'(isolate) {
    const root = fresh();
    const marks = join(dirname(root), 'hooks');
    for (const hook of ['post-checkout', 'pre-commit', 'post-commit', 'reference-transaction', 'post-index-change']) {
      writeFiles(root, { [`.git/hooks/${hook}`]: `#!/bin/sh\necho ${hook} >> '${marks}'\n` });
      chmodSync(join(root, '.git', 'hooks', hook), 0o755);
    }
    await workIn(place, root, 'echo left > left', { isolate, branch: 'runwire/h/1-none' });
    expect(existsSync(marks)).toBe(false);
    const { ran } = await workIn(place, root, 'echo a > a; git add -A; git commit -qm a', {
      isolate,
      branch: 'runwire/h/2-own',
    });
    expect(ran.exitCode).toBe(0);
    expect(readFileSync(marks, 'utf8')).toContain('pre-commit\n');
  },
  async 'works on a shallow clone, a linked worktree, and a git folder that is elsewhere'(isolate) {
    const root = fresh();
    for (const number of [1, 2, 3]) git(root, 'commit', '-q', '--allow-empty', '-m', `more ${number}`);
    const base = join(dirname(root), 'linked');
    git(place.folder, 'clone', '-q', '--depth=2', `file://${root}`, `${base}-shallow`);
    git(root, 'worktree', 'add', '-q', '-b', 'tree', `${base}-tree`);
    git(place.folder, 'clone', '-q', '--separate-git-dir', `${base}-dir`, root, `${base}-separate`);
    const script = 'git log --oneline | wc -l; echo a > a; git add -A; git commit -qm a; echo b > b';
    for (const [name, gitDir, commits] of [
      ['shallow', `${base}-shallow/.git`, 2],
      ['tree', join(root, '.git'), 4],
      ['separate', `${base}-dir`, 4],
    ] as const) {
      const before = fingerprint(`${base}-${name}`, gitDir);
      const { kept, ran } = await workIn(place, `${base}-${name}`, script, { isolate, branch: `runwire/l/1-${name}` });
      expect({ name, count: Number(ran.output), paths: kept.changes.map(({ path }) => path) }).toEqual({
        name,
        count: commits,
        paths: ['a', 'b'],
      });
      expect(git(`${base}-${name}`, 'rev-parse', kept.branch)).toBe(kept.commit);
      expect(fingerprint(`${base}-${name}`, gitDir)).toEqual(before);
    }
  },
  async 'leaves a repository alone whose parts are links to those of another one'(isolate) {
    const root = fresh();
    const linked = join(dirname(root), 'linked-parts');
    git(place.folder, 'init', '-q', linked);
    for (const part of ['config', 'refs', 'objects', 'info']) {
      rmSync(join(linked, '.git', part), { recursive: true });
      symlinkSync(join(root, '.git', part), join(linked, '.git', part));
    }
    git(linked, 'reset', '-q', '--hard');
    const before = fingerprint(root);
    const work = 'git branch stray; git config user.name Eve; echo a > a';
    if (isolate === 'overlay')
      await expect(workIn(place, linked, work, { isolate })).rejects.toThrow(
        /is a link to elsewhere; try --isolate clone/,
      );
    const { ran, kept } = await workIn(place, linked, work, {
      isolate: isolate === 'overlay' ? 'auto' : isolate,
      branch: 'runwire/q/1-links',
    });
    expect({ exit: ran.exitCode, paths: kept.changes.map(({ path }) => path) }).toEqual({ exit: 0, paths: ['a'] });
    expect(git(root, 'branch', '--format=%(refname:short)').split('\n')).not.toContain('stray');
    expect(fingerprint(root)).toEqual(before);
  },
  async 'has no address to push to, whatever the remotes are called'(isolate) {
    const root = fresh();
    for (const name of ['origin', 'up.stream']) git(root, 'remote', 'add', name, 'https://example.com/project.git');
    git(root, 'config', 'remote.up.stream.pushurl', 'https://example.com/other.git');
    git(root, 'config', '--add', 'remote.up.stream.pushurl', 'https://example.com/third.git');
    git(root, 'config', 'remote.pushDefault', 'up.stream');
    git(root, 'config', 'core.worktree', root);
    const before = fingerprint(root);
    const script =
      'for each in $(git remote); do git remote get-url --push --all "$each"; done; pwd; git rev-parse --show-toplevel';
    const { ran, workspace } = await workIn(place, root, script, { isolate, branch: 'runwire/p/1-push' });
    const nowhere = 'runwire-agents-do-not-push://';
    expect(ran.output.trim().split('\n')).toEqual([nowhere, nowhere, workspace.top, workspace.top]);
    expect(fingerprint(root)).toEqual(before);
  },
  async 'starts without a commit from the files as they are'(isolate) {
    const root = mkdtempSync(join(place.folder, 'unborn-'));
    writeFiles(root, { 'a.txt': 'a\n' });
    git(root, 'init', '-q');
    const before = fingerprint(root);
    await expect(workIn(place, root, ':', { isolate })).rejects.toThrow(
      'this repository has no commit yet; commit first, or use --dirty include',
    );
    const { kept } = await workIn(place, root, 'cat a.txt; git log --oneline; echo b > b', {
      isolate,
      dirty: 'include',
    });
    expect(kept.changes.map(({ path }) => path)).toEqual(['b']);
    expect(fingerprint(root)).toEqual(before);
  },
};

describe.concurrent('a copy with a repository of its own', () => {
  const kinds = ['overlay', 'clone'] as const;
  it.each(
    some(sweep(Object.entries(inCopiesWithARepository), kinds), 5).map(
      ([[title, test], isolate]) => [isolate, title, test] as const,
    ),
  )('%s: %s', (isolate, _, test) => test(isolate));
});

describe.concurrent.each(['overlay'] as const)('%s', (isolate) => {
  it('keeps work from a rebase in the middle, a lock that was left, a broken index', async () => {
    const root = fresh({ 'a.txt': 'a\n' });
    const conflict = `
      git checkout -q -b side; echo side > a.txt; git commit -qam side
      git checkout -q -; echo ours > a.txt; git commit -qam ours; git rebase -q side; touch "$(git rev-parse --git-dir)/index.lock"`;
    const rebase = await workIn(place, root, conflict, { isolate, branch: 'runwire/b/1-rebase' });
    expect(show(root, `${rebase.kept.commit}:a.txt`)).toContain('<<<<<<<');
    const broken = await workIn(place, root, 'echo b > b.txt; echo broken > "$(git rev-parse --git-dir)/index"', {
      isolate,
      branch: 'runwire/b/2-index',
    });
    expect(broken.kept.changes).toEqual([{ path: 'b.txt', operation: 'created', additions: 1, deletions: 0 }]);
  });

  it('loses nothing of repositories that were made inside', async () => {
    const root = fresh();
    const script = `
      git init -q empty; echo a > empty/a; mkdir -p deep; git init -q 'deep/a b'
      cd 'deep/a b'; echo '*.log' > .gitignore; echo x > x.log; echo b > b; git add -A; git commit -qm b
      git init -q inner; echo c > inner/c; git -C inner add -A; git -C inner commit -qm c
      cd ../..; git init -q added; echo d > added/d; git -C added add -A; git -C added commit -qm d; git add added; git commit -qm added`;
    const { kept } = await workIn(place, root, script, { isolate });
    expect(files(root, kept.commit)).toEqual([
      'README.md',
      'added/d',
      'deep/a b/.gitignore',
      'deep/a b/b',
      'deep/a b/inner/c',
      'empty/a',
      'src/main.ts',
    ]);
    expect(kept.notes.map((note) => note.slice(0, 26)).toSorted()).toEqual([
      'the repository in added/ i',
      'the repository in deep/a b',
      'the repository in empty/ i',
      'the repository in inner/ i',
    ]);
  });

  it('commits for people without a name, too', async () => {
    const root = fresh();
    writeFileSync(join(place.folder, 'no-identity'), '');
    const env = { ...place.env, GIT_CONFIG_GLOBAL: join(place.folder, 'no-identity'), EMAIL: '' };
    const { kept } = await workIn({ env }, root, 'echo a > a', { isolate });
    expect(git(root, 'log', '-1', '--format=%an <%ae> %cn', kept.commit)).toBe('Runwire <runwire@localhost> Runwire');
  });

  it('keeps the files when the repository inside was deleted or made anew', async () => {
    const root = fresh({ '.gitignore': 'kept.log\n', 'a.txt': 'a\n' });
    writeFiles(root, { 'kept.log': 'tracked all the same\n' });
    git(root, 'add', '-f', 'kept.log');
    git(root, 'commit', '-qm', 'second');
    const before = fingerprint(root);
    const anew = await workIn(
      place,
      root,
      'rm -rf .git; git init -q; echo b > b; git add -A; git commit -qm anew; echo c > c',
      {
        isolate,
      },
    );
    expect(anew.kept.changes.map(({ path }) => path)).toEqual(['b', 'c']);
    expect(anew.kept.notes).toEqual([
      'its repository was made anew: its files are kept on top of the commit that it began with',
      'the branch main is kept as runwire/test/1-work-also/main',
    ]);
    expect(git(root, 'rev-parse', `${anew.kept.commit}^`)).toBe(git(root, 'rev-parse', 'main'));
    const deleted = await workIn(place, root, 'rm -rf .git; echo b > b', { isolate, branch: 'runwire/test/2-deleted' });
    expect(deleted.kept.changes.map(({ path }) => path)).toEqual(['b']);
    expect(fingerprint(root)).toEqual(before);
  });
});

describe.concurrent('what a checkout may have', () => {
  it('keeps work in submodules in their own repositories', async () => {
    const inner = fresh({ 'inner.txt': 'inner\n' });
    const root = fresh();
    git(root, 'submodule', 'add', '-q', inner, 'sub');
    git(root, 'commit', '-qm', 'with a submodule');
    const before = fingerprint(root);
    const script = `cd sub; echo 1 > one; git add -A; git commit -qm one; echo 2 > two; cd ..; echo 3 > three`;
    const { kept, ran } = await workIn(place, root, script, { isolate: 'overlay' });
    expect(ran.exitCode).toBe(0);
    expect(kept.changes.map(({ path }) => path)).toEqual(['sub', 'three']);
    expect(kept.notes).toEqual(['work in the submodule sub is kept in its own repository, as runwire/test/1-work']);
    const commit = git(root, 'rev-parse', `${kept.commit}:sub`);
    expect(git(join(root, 'sub'), 'log', '--format=%s', commit)).toBe('Work that was left uncommitted\none\nfirst');
    expect(git(join(root, 'sub'), 'rev-parse', 'runwire/test/1-work')).toBe(commit);
    expect(fingerprint(root)).toEqual(before);
    const clone = await workIn(place, root, 'ls sub; git status --short', {
      isolate: 'clone',
      branch: 'runwire/test/2-clone',
    });
    expect(clone.ran.output).toBe('');
    expect(clone.workspace.remark).toContain(
      'the copy has no submodules: --setup "git submodule update --init" fetches them',
    );
    expect(clone.kept.changes).toEqual([]);
  });

  it.runIf(isSweep)('says when the hooks are in a folder that git does not know', async () => {
    const root = fresh({
      '.gitignore': '.husky/_\n',
      '.husky/_/pre-commit': 'exit 1\n',
      'hooks/pre-commit': 'exit 1\n',
    });
    const remarkOf = async (path: string, isolate: 'overlay' | 'clone') => {
      git(root, 'config', 'core.hooksPath', path);
      return (await workIn(place, root, 'true', { isolate })).workspace.remark;
    };
    expect(await remarkOf('.husky/_', 'clone')).toBe(
      'the copy has no hooks: .husky/_ is not tracked by git; create it with --setup',
    );
    expect([await remarkOf('.husky/_', 'overlay'), await remarkOf('hooks', 'clone')]).toEqual([undefined, undefined]);
  });

  it.runIf(isSweep)('works on its copy when it is started by a hook', async () => {
    const root = fresh();
    const before = fingerprint(root);
    const config = { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'user.name', GIT_CONFIG_VALUE_0: 'Grace' };
    const hook = {
      GIT_DIR: join(root, '.git'),
      GIT_WORK_TREE: root,
      GIT_INDEX_FILE: join(root, '.git', 'index'),
      GIT_PREFIX: '',
    };
    const script =
      'echo a > a; git add -A; git commit -qm a; git config credential.helper; git config gc.auto; echo b > b; for name in index pack refs said notes; do ln -s ' +
      `'${root}/README.md' ../$name; done`;
    const { kept, ran } = await workIn({ env: { ...place.env, ...config, ...hook } }, root, script, {
      isolate: 'clone',
    });
    expect(ran.output.trim()).toBe('0');
    expect(git(root, 'log', '-2', '--format=%an', kept.commit)).toBe('Grace\nGrace');
    expect(fingerprint(root)).toEqual(before);
  });

  it.runIf(isSweep && process.geteuid?.() === 0)('has folders that can be renamed', async () => {
    const root = fresh({ 'src/a.ts': 'a\n', 'src/deep/b.ts': 'b\n' });
    const { kept, ran } = await workIn(place, root, 'git mv src lib; echo c > lib/deep/c.ts; git status --short');
    expect(ran.output).toBe('R  src/a.ts -> lib/a.ts\nR  src/deep/b.ts -> lib/deep/b.ts\n?? lib/deep/c.ts\n');
    expect(files(root, kept.commit)).toEqual(['lib/a.ts', 'lib/deep/b.ts', 'lib/deep/c.ts']);
  });

  it.runIf(isSweep)('keeps many files', async () => {
    const root = fresh();
    const { kept } = await workIn(
      place,
      root,
      'mkdir -p m/{1,2}; seq 1 3000 | while read -r n; do echo $n > m/$n; done',
    );
    expect([kept.changes.length, kept.additions]).toEqual([3000, 3000]);
  });

  it('has the pointers of Git LFS where its program is missing', async () => {
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'0'.repeat(64)}\nsize 12\n`;
    const root = fresh({ '.gitattributes': '*.bin filter=lfs diff=lfs merge=lfs -text\n', 'a.bin': pointer });
    for (const [key, value] of [
      ['clean', 'no-git-lfs clean'],
      ['smudge', 'no-git-lfs smudge'],
      ['process', 'no-git-lfs'],
      ['required', 'true'],
    ] as const)
      git(root, 'config', `filter.lfs.${key}`, value);
    const { kept, ran, workspace } = await workIn(place, root, 'cat a.bin; echo b > b', { isolate: 'clone' });
    expect(ran.output).toBe(pointer);
    expect(kept.changes.map(({ path }) => path)).toEqual(['b']);
    expect(workspace.remark).toContain('the copy has only pointers for Git LFS files');
  });
});

/** What Git LFS does with a file that is added: it puts it aside, by its hash, and leaves a pointer. */
const gitLfs = `#!/bin/sh
[ "$1" = clean ] || exit 1
folder=$(git rev-parse --git-common-dir)/lfs
mkdir -p "$folder/tmp"; cat > "$folder/tmp/file"
oid=$(sha256sum "$folder/tmp/file"); oid=\${oid%% *}; size=$(wc -c < "$folder/tmp/file")
target=$folder/objects/$(echo "$oid" | cut -c1-2)/$(echo "$oid" | cut -c3-4)
mkdir -p "$target"; mv "$folder/tmp/file" "$target/$oid"
printf 'version https://git-lfs.github.com/spec/v1\\noid sha256:%s\\nsize %s\\n' "$oid" "$size"
`;

it.each(some(isolations, 3))('has the files of Git LFS that were added in a %s, committed or not', async (isolate) => {
  const root = fresh({ '.gitattributes': '*.bin filter=lfs\n' });
  const bin = mkdtempSync(join(place.folder, 'bin-'));
  writeFileSync(join(bin, 'git-lfs'), gitLfs, { mode: 0o755 });
  git(root, 'config', 'filter.lfs.clean', 'git-lfs clean -- %f');
  git(root, 'config', 'filter.lfs.required', 'true');
  const env = { ...place.env, PATH: `${bin}:${place.env['PATH'] ?? ''}` };
  const script = 'printf one > one.bin; git add -A; git commit -qm one; printf two > two.bin';
  const { kept } = await workIn({ env }, root, script, { isolate });
  expect(kept.lost).toEqual([]);
  for (const name of ['one', 'two']) {
    const [, oid = ''] = /^oid sha256:(.*)$/m.exec(show(root, `${kept.commit}:${name}.bin`)) ?? [];
    expect(readFileSync(join(root, '.git', 'lfs', 'objects', oid.slice(0, 2), oid.slice(2, 4), oid), 'utf8')).toBe(
      name,
    );
  }
});

it('does not read attributes that are a link, which may lead to any file, or to one without an end', async () => {
  const root = fresh();
  const elsewhere = join(place.folder, 'elsewhere');
  writeFileSync(elsewhere, '*.bin filter=lfs\n');
  symlinkSync(elsewhere, join(root, '.gitattributes'));
  git(root, 'add', '-A');
  git(root, 'commit', '-qm', 'link');
  const { workspace } = await workIn(place, root, ':', { isolate: 'clone' });
  expect(workspace.remark ?? '').not.toContain('Git LFS');
});

describe('what cannot be copied', () => {
  it('says what is no checkout', async () => {
    const none = mkdtempSync(join(place.folder, 'none-'));
    await expect(workIn(place, none, ':')).rejects.toThrow(
      'not a git repository, so there is nothing to make a private copy of',
    );
    git(place.folder, 'init', '-q', '--bare', 'bare.git');
    await expect(workIn(place, join(place.folder, 'bare.git'), ':')).rejects.toThrow(
      'a bare repository has no files to work on',
    );
    const empty = { env: { ...place.env, PATH: none } };
    await expect(openRepository(none, empty.env)).rejects.toThrow('git is not installed');
  });
});

describe('names of branches', () => {
  it.each([
    ['a free name', [], 'runwire/a/1-b'],
    ['a taken one', ['runwire/a/1-b', 'runwire/a/1-b-2'], 'runwire/a/1-b-3'],
    ['a folder of branches', ['runwire/a/1-b/c'], 'runwire/a/1-b-2'],
    ['a branch in the way', ['runwire'], 'runwire-a-1-b'],
    ['a branch in the way, and the other name', ['runwire/a', 'runwire-a-1-b'], 'runwire-a-1-b-2'],
  ])('%s', (_, taken, name) => {
    expect(freeName('runwire/a/1-b', taken)).toBe(name);
  });

  it('does not touch a branch that is called runwire', async () => {
    const root = fresh();
    git(root, 'branch', 'runwire');
    const { kept } = await workIn(place, root, 'echo a > a');
    expect(kept.branch).toBe('runwire-test-1-work');
    expect(git(root, 'rev-parse', 'runwire')).toBe(git(root, 'rev-parse', 'main'));
  });

  it('keeps the work of two that wanted the same one', async () => {
    const root = fresh();
    const [one, two] = await Promise.all([
      workIn(place, root, 'echo 1 > file; echo $RUNWIRE_SLOT $RUNWIRE_PORT_BASE $COMPOSE_PROJECT_NAME; sleep 0.2'),
      workIn(place, root, 'echo 2 > file; echo $RUNWIRE_SLOT $RUNWIRE_PORT_BASE $COMPOSE_PROJECT_NAME; sleep 0.2', {
        isolate: 'clone',
      }),
    ]);
    expect(new Set([one.kept.branch, two.kept.branch])).toEqual(
      new Set(['runwire/test/1-work', 'runwire/test/1-work-2']),
    );
    expect([show(root, `${one.kept.branch}:file`), show(root, `${two.kept.branch}:file`)]).toEqual(['1', '2']);
    const words = [one, two].map(({ ran }) => ran.output.trim().split(' '));
    for (const index of [0, 1, 2]) expect(words[0]?.[index]).not.toBe(words[1]?.[index]);
  });
});
