import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { copiesFolder } from '../../src/workspace/copies.ts';
import { fingerprint, makeCheckout, workIn, type Worked } from '../support/checkouts.ts';
import { isSweep, sweep } from '../support/sweep.ts';

const place = makeCheckout('runwire-nothing-lost-');
afterAll(() => place.remove());
const { git } = place;
const show = (root: string, what: string): string => git(root, 'show', what);
const paths = ({ kept }: Worked): string[] => kept.changes.map(({ path }) => path);

/** The branches of work that are not its own. */
const otherBranches = (root: string): string[] =>
  git(root, 'for-each-ref', '--format=%(refname:strip=5)', 'refs/heads/runwire/test/1-work-also').split('\n');

/** What work may leave that is easily overlooked; each in an overlay and a clone. */
const cases: Record<string, (isolate: 'overlay' | 'clone') => Promise<void>> = {
  async 'in repositories of any name'(isolate) {
    const root = place.checkout('project');
    const names = ['-x', 'a b ', 'line\nbreak', 'one\u0001two', ':(glob)*', 'back\\n', '"quoted"'];
    const script = names.map(
      (name) =>
        `mkdir ${shell(`./${name}`)}; git -C ${shell(`./${name}`)} init -q; echo work > ${shell(`./${name}/work`)}`,
    );
    const worked = await workIn(place, root, script.join('\n'), { isolate });
    expect(worked.kept.lost).toEqual([]);
    expect(paths(worked).toSorted()).toEqual(names.map((name) => `${name}/work`).toSorted());
  },
  async 'beside hundreds of pipes'(isolate) {
    const root = place.checkout('project');
    const script =
      'for n in $(seq 400); do mkdir d$n; mkfifo d$n/.gitignore d$n/.gitattributes; echo $n > d$n/work; done';
    const worked = await workIn(place, root, script, { isolate });
    expect([worked.kept.changes.length, worked.kept.lost]).toEqual([400, []]);
    expect(worked.kept.notes).toEqual(['named pipes, sockets and devices are not kept']);
  },
  async 'in every stash, and under a tag'(isolate) {
    const root = place.checkout('project');
    const script = `
      echo 1 > one; git stash -q -u; echo 2 > two; git stash -q -u
      git checkout -q --detach; echo 3 > three; git add -A; git commit -qm three; git tag mine; git tag -a -m note noted; git checkout -q -`;
    const { kept } = await workIn(place, root, script, { isolate });
    const also = git(root, 'for-each-ref', '--format=%(refname:strip=2)', 'refs/heads/runwire/test').split('\n');
    expect(also.filter((name) => name.includes('-also/')).toSorted()).toEqual([
      'runwire/test/1-work-also/stash',
      'runwire/test/1-work-also/stash-2',
      'runwire/test/1-work-also/tags/mine',
      'runwire/test/1-work-also/tags/noted',
    ]);
    const stashed = ['stash', 'stash-2'].map((name) =>
      git(root, 'ls-tree', '--name-only', `runwire/test/1-work-also/${name}^3`),
    );
    expect(stashed.toSorted()).toEqual(['one', 'two']);
    expect(kept.lost).toEqual([]);
  },
  async 'on a hundred branches, with few processes'(isolate) {
    const root = place.checkout('project');
    const calls = join(mkdtempSync(join(place.folder, 'calls-')), 'git');
    const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
    writeFileSync(calls, `#!/bin/sh\necho "$*" >> ${calls}.log\nexec ${real} "$@"\n`, { mode: 0o755 });
    const env = { ...place.env, PATH: `${dirname(calls)}:${place.env['PATH']}` };
    const script = `id=$(${real} commit-tree -p HEAD -m other HEAD^{tree}); for n in $(seq 100); do echo "create refs/heads/b$n $id"; done | ${real} update-ref --stdin`;
    const { kept } = await workIn({ env }, root, script, { isolate });
    expect([kept.notes.length, kept.lost, otherBranches(root).length]).toEqual([100, [], 100]);
    expect(readFileSync(`${calls}.log`, 'utf8').split('\n').length).toBeLessThan(100);
  },
  async 'on every branch but those that no repository would take'(isolate) {
    const root = place.checkout('project');
    git(root, 'branch', 'runwire/test/1-work-also/taken', git(root, 'commit-tree', '-m', 'another', 'HEAD^{tree}'));
    const script = `
      for n in one two taken; do git update-ref refs/heads/$n $(git commit-tree -p HEAD -m $n HEAD^{tree}); done
      git tag blob $(echo text | git hash-object -w --stdin)
      echo ${'1'.repeat(40)} > .git/refs/heads/missing
      git update-ref refs/heads/malformed $({ git cat-file commit HEAD | sed 's/^author .*/author nobody/'; } | git hash-object -t commit -w --stdin --literally)`;
    const { kept } = await workIn(place, root, script, { isolate });
    expect(otherBranches(root)).toEqual(['one', 'taken', 'taken-2', 'two']);
    expect(kept.lost.toSorted()).toEqual(['refs/heads/malformed', 'refs/heads/missing', 'refs/tags/blob']);
  },
  async 'with the attributes of the repository'(isolate) {
    const root = place.checkout('project', { 'a.txt': 'one\n' });
    writeFileSync(join(root, '.git', 'info', 'attributes'), '*.txt text eol=crlf\n');
    const { kept } = await workIn(place, root, "printf 'one\\r\\ntwo\\r\\n' > a.txt", { isolate });
    expect(show(root, `${kept.commit}:a.txt`)).toBe('one\ntwo');
  },
  async 'with objects that are borrowed by a relative path'(isolate) {
    const lender = place.checkout('lender');
    const root = join(lender, '..', 'borrower');
    git(lender, 'clone', '-q', '-s', '.', root);
    writeFileSync(join(root, '.git', 'objects', 'info', 'alternates'), '../../../lender/.git/objects\n');
    const worked = await workIn(place, root, 'echo work > work', { isolate });
    expect([paths(worked), worked.kept.lost]).toEqual([['work'], []]);
  },
  async 'or said to be lost, in folders that are too deep for git'(isolate) {
    const root = place.checkout('project');
    const deep =
      "for (let n = 0; n < 30; n += 1) { fs.mkdirSync('d'.repeat(200)); process.chdir('d'.repeat(200)); } fs.writeFileSync('deep', '');";
    const { kept } = await workIn(place, root, `echo work > work; '${process.execPath}' -e "${deep}"`, { isolate });
    expect([kept.changes.map(({ path }) => path), kept.lost]).toEqual([
      ['work'],
      ['what is in folders whose path is too long for git'],
    ]);
  },
  async 'in folders that are too deep for a path'(isolate) {
    const root = place.checkout('project');
    const name = 'd'.repeat(100);
    const script = `for n in $(seq 60); do mkdir ${name}; cd ${name}; done; echo deep > deep`;
    const { kept } = await workIn(place, root, script, { isolate });
    expect([kept.changes.length, kept.lost]).toEqual([1, []]);
    expect(readdirSync(copiesFolder(place.env))).toEqual([]);
  },
};

describe.skipIf(process.platform !== 'linux')('work is kept', () => {
  it.each(
    sweep(Object.entries(cases), ['overlay', 'clone'] as const).map(
      ([[title, test], isolate]) => [isolate, title, test] as const,
    ),
  )('%s: %s', (isolate, _, test) => test(isolate));

  it.runIf(isSweep)(
    'in submodules that are called otherwise than their path, are inside another, or have a repository of their own',
    async () => {
      const inner = place.checkout('inner', { inner: 'inner\n' });
      const middle = place.checkout('middle', { middle: 'middle\n' });
      git(middle, 'submodule', 'add', '-q', inner, 'inner');
      git(middle, 'commit', '-qm', 'with one inside');
      const root = place.checkout('project');
      git(root, 'submodule', 'add', '-q', '--name', 'other', inner, 'path/sub');
      git(root, 'submodule', 'add', '-q', middle, 'mid');
      git(root, 'submodule', 'update', '-q', '--init', '--recursive');
      git(root, 'clone', '-q', inner, 'own');
      git(root, 'submodule', 'add', '-q', inner, 'own');
      git(root, 'commit', '-qm', 'with submodules');
      const before = fingerprint(root);
      const idle = await workIn(place, root, ':', { isolate: 'overlay' });
      expect([idle.kept.commit, idle.kept.lost]).toEqual([idle.kept.base, []]);
      const work = ['path/sub', 'mid', 'mid/inner', 'own'].map((path) => `echo work > ${path}/work`);
      const worked = await workIn(place, root, work.join('; '), { isolate: 'overlay', branch: 'runwire/test/2-work' });
      expect([paths(worked), worked.kept.lost]).toEqual([['mid', 'own', 'path/sub'], []]);
      const at = (folder: string, what: string): string => git(join(root, folder), 'show', what);
      const commitOf = (path: string): string => git(root, 'rev-parse', `${worked.kept.commit}:${path}`);
      expect(at('path/sub', `${commitOf('path/sub')}:work`)).toBe('work');
      expect(at('own', `${commitOf('own')}:work`)).toBe('work');
      expect(at('mid', `${commitOf('mid')}:work`)).toBe('work');
      const nested = git(join(root, 'mid'), 'rev-parse', `${commitOf('mid')}:inner`);
      expect(at('mid/inner', `${nested}:work`)).toBe('work');
      expect(Object.keys(fingerprint(root)).filter((path) => !/refs\/heads|objects/.test(path))).toEqual(
        Object.keys(before).filter((path) => !/refs\/heads|objects/.test(path)),
      );
    },
  );

  it('in a submodule that is new, as the commit that its remote has', async () => {
    const inner = place.checkout('inner', { inner: 'inner\n' });
    const root = place.checkout('project');
    const worked = await workIn(place, root, `git submodule add -q '${inner}' new`, { isolate: 'overlay' });
    expect([paths(worked), worked.kept.lost]).toEqual([['.gitmodules', 'new'], []]);
  });
});

function shell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
