import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { mergedTree } from '../../src/orchestrate/merge.ts';
import { owners } from '../../src/run/sources/isolated.ts';
import { isolations } from '../../src/words/vocabulary.ts';
import { applyWork } from '../../src/workspace/apply.ts';
import { dropBranch } from '../../src/workspace/drop.ts';
import { reclaim } from '../../src/workspace/reclaim.ts';
import { openRepository } from '../../src/workspace/repository.ts';
import { runInside } from '../../src/workspace/run-inside.ts';
import { Workspace, type WorkspaceAsk } from '../../src/workspace/workspace.ts';
import { some } from '../support/sweep.ts';
import { fingerprint, makeCheckout, workIn, writeFiles } from '../support/checkouts.ts';
import { plainFiles, plantFiles, plantInRepository, plantPrograms } from '../support/execution-points.ts';

const place = makeCheckout('runwire-points-');
afterAll(() => place.remove());
const { git } = place;

/** A checkout with a submodule, and the folder in which a program that runs outside of an overlay leaves a trace. */
function fresh(): { root: string; leaves: string } {
  const inner = place.checkout('inner', { 'file.clean': 'inner\n', 'file.process': 'inner\n' });
  const root = place.checkout('project', { 'README.md': 'read me\n', ...plainFiles });
  git(root, 'submodule', 'add', '-q', inner, 'sub');
  git(root, 'commit', '-qm', 'with a submodule');
  // Writes to the checkout that happen in an overlay do not reach it.
  const leaves = join(root, '.git', 'leaves');
  mkdirSync(leaves);
  return { root, leaves };
}

/** What ran, apart from what git itself is used for to plant it. */
function ran(leaves: string): string[] {
  return readdirSync(leaves);
}

function plant(cwd: string, script: string): void {
  execFileSync('/bin/sh', ['-c', script], { cwd, env: place.env, stdio: 'ignore' });
}

/** Everything that is done with a run's work, each in the way that its command does it. */
async function useWork(root: string, branch: string, commit: string): Promise<void> {
  const repository = await openRepository(root, place.env);
  const from = git(root, 'rev-parse', 'HEAD');
  await applyWork(repository, { from, to: commit, isThreeWay: true, isDryRun: true }).catch(() => {});
  await applyWork(repository, { from, to: commit, isThreeWay: false, isDryRun: false }).catch(() => {});
  await mergedTree(repository, from, commit);
  await dropBranch(repository, branch, commit);
}

describe.skipIf(process.platform !== 'linux').each(some(isolations, 3))(
  'in a copy by %s, nothing that a repository names is run',
  (isolate) => {
    it('in the checkout, before the work', async () => {
      const { root, leaves } = fresh();
      plant(root, plantInRepository(leaves));
      plant(join(root, 'sub'), `${plantInRepository(leaves)}\n${plantFiles}`);
      plant(root, plantFiles);
      const before = ran(leaves);
      for (const dirty of ['include', 'ignore'] as const) {
        const { kept } = await workIn(place, root, 'echo more > more', {
          isolate,
          dirty,
          branch: `runwire/${dirty}/1-work`,
        });
        await useWork(root, kept.branch, kept.commit);
      }
      expect(ran(leaves)).toEqual(before);
    });

    it('in the copy and its submodule, by the work itself', async () => {
      const { root, leaves } = fresh();
      const here = `${plantInRepository(leaves)}\n${plantFiles}`;
      const inside = `[ ! -e sub/.git ] || (cd sub; ${here})\n${here}`;
      const { kept } = await workIn(place, root, `${inside}\nrm -f '${leaves}'/*`, { isolate });
      expect(kept.changes.map(({ path }) => path)).toContain('.gitattributes');
      expect(ran(leaves)).toEqual([]);
      await useWork(root, kept.branch, kept.commit);
      expect(ran(leaves)).toEqual([]);
    });

    it('in repositories inside the copy, known to the index or not', async () => {
      const { root, leaves } = fresh();
      const nested = (name: string): string =>
        `git init -q ${name}; (cd ${name}; echo a > file.clean; git add -A; git commit -qm a; ${plantInRepository(leaves)}\n${plantFiles})`;
      const script = [
        nested('known'),
        nested('unknown'),
        nested('./-x'),
        nested('"$(printf "line\\nbreak")"'),
        'git add known; git commit -qm known',
        `rm -f '${leaves}'/*`,
      ];
      const { kept } = await workIn(place, root, script.join('\n'), { isolate });
      expect(ran(leaves)).toEqual([]);
      expect(kept.lost).toEqual([]);
      expect(
        kept.changes
          .map(({ path }) => path)
          .filter((path) => path.endsWith('file.clean'))
          .toSorted(),
      ).toEqual(['-x/file.clean', 'known/file.clean', 'line\nbreak/file.clean', 'unknown/file.clean']);
    });

    it('in repositories below the checkout, when its uncommitted changes are taken along', async () => {
      const { root, leaves } = fresh();
      plant(
        root,
        `git init -q below; cd below; echo a > file.clean; git add -A; git commit -qm a; ${plantInRepository(leaves)}\n${plantFiles}`,
      );
      plant(join(root, 'sub'), `${plantInRepository(leaves)}\n${plantFiles}`);
      const { kept } = await workIn(place, root, 'echo more > more', { isolate, dirty: 'include' });
      expect(ran(leaves)).toEqual([]);
      expect(git(root, 'ls-tree', '-r', '--name-only', kept.base).split('\n')).toContain('below/file.clean');
      expect(kept.changes.map(({ path }) => path)).toContain('more');
    });

    it('in folders of the checkout and the copy that are on PATH', async () => {
      const { root, leaves } = fresh();
      plant(root, plantPrograms('node_modules/.bin', leaves));
      const env = { ...place.env, PATH: `node_modules/.bin:${join(root, 'node_modules/.bin')}:${place.env['PATH']}` };
      const whole: WorkspaceAsk = { isolate, dirty: 'include', branch: 'runwire/test/1-work', copied: [] };
      const workspace = await Workspace.plan(whole, { cwd: root, env, owners });
      const { signal } = new AbortController();
      await workspace.create(signal);
      await runInside(workspace, `${plantPrograms('node_modules/.bin', leaves)}\necho a > a`, {
        env: place.env,
        signal,
      });
      const kept = await workspace.keep();
      await workspace.remove();
      const repository = await openRepository(root, env);
      await applyWork(repository, { from: kept.base, to: kept.commit, isThreeWay: false, isDryRun: true });
      await dropBranch(repository, kept.branch, kept.commit);
      expect(ran(leaves)).toEqual([]);
    });

    it('when a copy that a crash left is kept', async () => {
      const { root, leaves } = fresh();
      const whole: WorkspaceAsk = { isolate, dirty: 'refuse', branch: 'runwire/test/1-work', copied: [] };
      const workspace = await Workspace.plan(whole, { cwd: root, env: place.env, owners });
      const { signal } = new AbortController();
      await workspace.create(signal);
      await runInside(workspace, `${plantInRepository(leaves)}\n${plantFiles}\nrm -f '${leaves}'/*`, {
        env: place.env,
        signal,
      });
      const { copies } = await reclaim(place.env, { owners: { ...owners, isGone: () => true } });
      expect(copies.map(({ kept, problem }) => [kept?.changes.length, problem])).toEqual([
        [Object.keys(plainFiles).length + 1, undefined],
      ]);
      expect(ran(leaves)).toEqual([]);
    });

    it('in files among the refs whose names are more than a name', async () => {
      const { root, leaves } = fresh();
      const names = ['a\nconfig', 'a\n.git/config', 'a\n-C', 'a\ninfo/attributes', 'b\\nconfig'];
      const script = `${plantInRepository(leaves)}\n${plantFiles}
      common=$(cd "$(git rev-parse --git-common-dir)" && pwd)
      for name in ${names.map((name) => `'${name}'`).join(' ')}; do mkdir -p "$(dirname "$common/refs/heads/$name")"; : > "$common/refs/heads/$name"; done
      rm -f '${leaves}'/*`;
      const { kept } = await workIn(place, root, script, { isolate });
      expect(kept.changes.map(({ path }) => path)).toContain('.gitattributes');
      expect(ran(leaves)).toEqual([]);
    });

    it('in a folder that looks like a bare repository', async () => {
      const { root, leaves } = fresh();
      plant(
        root,
        `git init -q --bare bare; cd bare; git config core.bare false; git config core.worktree ..\n${plantInRepository(leaves)}\n${plantFiles}`,
      );
      rmSync(leaves, { recursive: true });
      mkdirSync(leaves);
      await expect(workIn(place, join(root, 'bare'), 'echo a > a', { isolate, dirty: 'include' })).rejects.toThrow(
        'a bare repository has no files',
      );
      expect(ran(leaves)).toEqual([]);
      expect(existsSync(join(root, 'bare', 'HEAD'))).toBe(true);
    });
  },
);

describe.skipIf(process.platform !== 'linux')('a program of the checkout that is on PATH is not run', () => {
  /** Where a run begins in a checkout that says it is none, or only a part of one. */
  const beginnings: Record<string, (root: string) => string> = {
    'in a folder with an empty git folder': (root) => {
      mkdirSync(join(root, 'below', '.git'), { recursive: true });
      return join(root, 'below');
    },
    'in a folder with an empty git file': (root) => {
      writeFiles(root, { 'below/.git': '' });
      return join(root, 'below');
    },
    'in a repository inside': (root) => {
      writeFiles(root, { 'below/file': 'a\n' });
      plant(join(root, 'below'), 'git init -q; git add -A; git commit -qm below');
      return join(root, 'below');
    },
    'whose files are somewhere else': (root) => {
      git(root, 'config', 'core.worktree', mkdtempSync(join(place.folder, 'elsewhere-')));
      return root;
    },
    'and in a linked worktree of it': (root) => {
      git(root, 'worktree', 'add', '-q', `${root}-linked`);
      plant(`${root}-linked`, 'cp -R ../project/bin ../project/node_modules .');
      return `${root}-linked`;
    },
  };
  it.each(some(Object.entries(beginnings), 3))('%s', async (_, begin) => {
    const root = place.checkout('project');
    const leaves = mkdtempSync(join(place.folder, 'leaves-'));
    plant(root, `${plantPrograms('node_modules/.bin', leaves)}\n${plantPrograms('bin', leaves)}`);
    const cwd = begin(root);
    const folders = [cwd, root].flatMap((folder) => [join(folder, 'node_modules/.bin/'), join(folder, 'bin')]);
    // Of the main checkout, a linked one has only what npm adds.
    const mine = cwd.endsWith('-linked') ? folders.slice(0, 3) : folders;
    const env = { ...place.env, PATH: [...mine, place.env['PATH']].join(':') };
    await workIn({ env }, cwd, 'echo a > a', { isolate: 'clone', dirty: 'include' }).catch(() => {});
    expect(ran(leaves)).toEqual([]);
  });
});

it.skipIf(process.platform !== 'linux')('Git LFS runs no program that the repository names', async () => {
  const { root } = fresh();
  const leaves = mkdtempSync(join(place.folder, 'leaves-'));
  const bin = mkdtempSync(join(place.folder, 'bin-'));
  plant(
    bin,
    `printf '%s\\n' '#!/bin/sh' 'eval "$(git config lfs.extension.point.clean)" < /dev/null' cat > git-lfs; chmod +x git-lfs`,
  );
  const env = { ...place.env, PATH: `${bin}:${place.env['PATH']}` };
  const here = `${plantInRepository(leaves)}\n${plantFiles}\ngit config --unset filter.lfs.process; rm -f '${leaves}'/*`;
  const { kept } = await workIn({ env }, root, here, { isolate: 'clone' });
  plant(root, here);
  await workIn({ env }, root, 'echo a > a', { isolate: 'clone', dirty: 'include', branch: 'runwire/test/2-work' });
  const repository = await openRepository(root, env);
  await applyWork(repository, { from: kept.base, to: kept.commit, isThreeWay: true, isDryRun: false }).catch(() => {});
  expect(ran(leaves)).toEqual([]);
});

it.skipIf(process.platform !== 'linux')(
  'a filter that is a script of the work cannot change the repository while the work is read',
  async () => {
    const { root } = fresh();
    git(root, 'config', 'filter.point-clean.clean', 'sh ./filter.sh');
    const targets = ['config', 'HEAD', 'hooks/pre-commit'].map((name) => join(root, '.git', name));
    const filter = [
      'cd "$GIT_DIR/.."',
      ...targets.flatMap((target) =>
        ['said', 'odd', 'notes', 'work.pack', 'ref-1.pack', 'door/lfs'].map((name) => `ln -sfn '${target}' ${name}`),
      ),
      'mkdir -p out; for each in own own/* ../../*; do echo x > "$each/planted" || echo x > "$each"; done 2>/dev/null',
      "printf 'ref ref-1 %040d refs/heads/../../config\\0module module-1 %040d of:../..\\0module module-2 %040d in:/../..\\0' 1 2 3 >> records",
      'cat',
    ].join('\n');
    const before = fingerprint(root);
    const script = `printf '%s' '${filter.replaceAll("'", `'\\''`)}' > filter.sh; echo '*.clean filter=point-clean' > .gitattributes; echo changed > file.clean`;
    await workIn(place, root, script, { isolate: 'overlay' }).catch(() => {});
    expect(fingerprint(root)).toEqual(before);
    expect(git(root, 'fsck', '--strict', '--no-dangling')).toBe('');
  },
);
