import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { stateFolder } from '../../src/files/xdg.ts';
import { inside } from '../cli/run/live.ts';
import { runwire, type Result } from '../support/command.ts';
import { fingerprint, makeCheckout, writeFiles } from '../support/checkouts.ts';
import { some } from '../support/sweep.ts';

const place = makeCheckout();
afterAll(() => place.remove());
const { git, env } = place;
const example = join(import.meta.dirname, '..', '..', 'examples', 'codex-run.jsonl');
const files = {
  'README.md': 'one\ntwo\nthree\nfour\nfive\nsix\nseven\n',
  'old.txt': 'old\n',
  'tool.sh': '#!/bin/sh\n',
};

function ran(root: string, script: string, ...flags: string[]): Promise<Result> {
  return inside(['run', '--isolate=auto', ...flags, `--cwd=${root}`, '--', 'sh', '-c', `${script}; cat '${example}'`], {
    env,
  });
}
const ask = (...args: string[]): Promise<Result> => inside(args, { env });
/** Each command once as a user has it. */
const askLive = (...args: string[]): Promise<Result> => runwire(args, { env });

it.concurrent.each(some(['overlay', 'clone', 'worktree'], 3))(
  'a file of a %s is told once, by its name in the checkout',
  async (isolation) => {
    const root = place.checkout(`told-${isolation}`, { 'src/main.ts': 'export {};\n' });
    const told = ['$PWD/new.ts', 'other.ts', '/elsewhere/third.ts'].map((path) =>
      JSON.stringify({
        type: 'item.completed',
        item: { id: path, type: 'file_change', changes: [{ path, kind: 'add' }], status: 'completed' },
      }),
    );
    const say = `touch new.ts other.ts; cat <<END\n{"type":"thread.started","thread_id":"t"}\n${told.join('\n')}\nEND\ncat '${example}'`;
    const flags = [`--isolate=${isolation}`, '--from=codex', '--to=runwire'];
    const { stdout } = await inside(['run', ...flags, `--cwd=${join(root, 'src')}`, '--', 'sh', '-c', say], { env });
    const { final_report } = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '');
    const paths = final_report.artifacts.map(({ path }: { path: string }) => path);
    expect(paths.filter((path: string) => /(?:^|\/)(?:new|other|third)\.ts$/.test(path))).toEqual([
      join(root, 'src/new.ts'),
      'other.ts',
      '/elsewhere/third.ts',
    ]);
    expect(paths.filter((path: string) => path.includes('copies'))).toEqual([]);
  },
);

it.concurrent.each(some(['overlay', 'clone', 'worktree'], 3))(
  'a run in a %s that changed nothing leaves no branch, and says so',
  async (isolation) => {
    const root = place.checkout(`unchanged-${isolation}`, files);
    const before = fingerprint(root);
    const { stderr, status } = await inside(['run', `--isolate=${isolation}`, `--cwd=${root}`, '--', 'cat', example], {
      env,
    });
    expect({ status, branches: git(root, 'branch', '--format=%(refname:short)').trim() }).toEqual({
      status: 0,
      branches: 'main',
    });
    expect(stderr).toMatch(/^runwire: nothing was changed: no branch is kept$/m);
    expect(stderr).not.toContain('--parent-branch-id');
    expect(fingerprint(root)).toEqual(before);
  },
);

it('--json with a private copy writes its scratchpad beside the ledger, never into the checkout or the copy', async () => {
  const root = place.checkout('json', files);
  const before = fingerprint(root);
  const flags = ['run', '--json', '--isolate=auto', `--cwd=${root}`];
  const { stdout } = await runwire([...flags, '--', 'sh', '-c', `touch new; cat '${example}'`], { env });
  const refused = await runwire([...flags, '--no-such-flag', 'Do it'], { env });
  for (const said of [stdout, refused.stdout]) {
    const { scratchpadFile } = JSON.parse(said) as { scratchpadFile: string };
    expect(readFileSync(join(stateFolder(env), 'scratchpads', scratchpadFile), 'utf8')).toContain('"type":"init"');
  }
  const [branch = ''] = git(root, 'branch', '--format=%(refname:short)', '--list', 'runwire/*').trim().split('\n');
  expect(git(root, 'diff', '--name-only', 'main', branch).trim()).toBe('new');
  expect(fingerprint(root)).toEqual(before);
});

describe('what a run in a private copy changed', () => {
  const script = `sed -i 's/^one/ONE/' README.md; rm old.txt; chmod +x tool.sh; printf '\\000bin' > 'new file'; git stash list`;

  it('is told, shown, taken, and discarded', async () => {
    const root = place.checkout('project', files);
    const clean = fingerprint(root);
    const { stderr, status } = await ran(root, script);
    expect(status).toBe(0);
    expect(fingerprint(root)).toEqual(clean);
    const id =
      /kept as runwire\/\S+: runwire apply (\w+) takes it, runwire drop \1 discards it/.exec(stderr)?.[1] ?? '';
    expect(stderr).toMatch(/branch runwire\/\w+\/1-work  .*in a private copy \((?:overlay|clone)\)/);
    const shown = await ask('runs', 'show', id, '--text');
    expect(shown.stdout).toMatch(
      new RegExp(
        `^kept +in a private copy \\(\\w+\\), kept as runwire/\\w+/1-work: runwire apply ${id} \\| runwire drop ${id}$`,
        'm',
      ),
    );

    const { outcome } = JSON.parse((await ask('runs', 'show', id, '--json')).stdout);
    expect(outcome.artifacts.map(({ path }: { path: string }) => path)).toContain(join(root, 'new file'));
    const would = await ask('apply', id, '--dry-run');
    expect(would).toMatchObject({
      status: 0,
      stdout: 'modified README.md\ncreated  new file\ndeleted  old.txt\nmodified tool.sh\n',
    });
    expect(fingerprint(root)).toEqual(clean);

    writeFiles(root, { 'tool.sh': 'mine\n' });
    const both = await ask('apply', id);
    expect(both).toMatchObject({ status: 2, stdout: '' });
    expect(both.stderr).toContain('you have changed tool.sh too; commit or undo that first');
    git(root, 'checkout', '-q', 'tool.sh');

    writeFiles(root, { 'README.md': 'uno\ntwo\nthree\nfour\nfive\nsix\nseven\n' });
    git(root, 'commit', '-qam', 'meanwhile');
    const meanwhile = fingerprint(root);
    const unfit = await ask('apply', id);
    expect(unfit).toMatchObject({ status: 2, stdout: '' });
    expect(unfit.stderr).toContain(
      'the changes do not apply to the checkout as it is (README.md); nothing was changed; --3way merges what it can',
    );
    expect(fingerprint(root)).toEqual(meanwhile);
    const merged = await ask('apply', id, '--3way');
    expect(merged).toMatchObject({ status: 1 });
    expect(merged.stderr).toContain('conflicts are marked in README.md');
    expect(readFileSync(join(root, 'README.md'), 'utf8')).toContain('<<<<<<<');
    expect(without(fingerprint(root), 'git/')).toEqual(without(meanwhile, 'git/'));

    git(root, 'reset', '-q', '--hard', 'HEAD~1');
    git(root, 'clean', '-fdq');
    const before = fingerprint(root);
    const taken = await askLive('apply', id);
    expect(taken).toMatchObject({ status: 0, stdout: would.stdout });
    expect(without(fingerprint(root), 'git/')).toEqual(without(before, 'git/'));
    expect(git(root, 'status', '--porcelain')).toBe(' M README.md\n D old.txt\n M tool.sh\n?? "new file"');

    const branch = git(root, 'for-each-ref', '--format=%(refname:strip=2)', 'refs/heads/runwire');
    const commit = git(root, 'rev-parse', branch);
    const dropped = await askLive('drop', id);
    expect(dropped).toMatchObject({ status: 0, stdout: `dropped ${branch}, which was ${commit}\n` });
    expect(git(root, 'branch', '--format=%(refname:short)')).toBe('main');
    const again = await ask('drop', id);
    expect(again.status).toBe(2);
    expect(again.stderr).toContain('there is no such branch any more');
  });

  it('is not discarded with what somebody added to it', async () => {
    const other = place.checkout('other', files);
    await ran(other, 'echo a > a');
    const branch = git(other, 'for-each-ref', '--format=%(refname:strip=2)', 'refs/heads/runwire');
    git(other, 'checkout', '-q', branch);
    git(other, 'commit', '-q', '--allow-empty', '-m', 'mine');
    git(other, 'checkout', '-q', 'main');
    const { status, stderr } = await ask('drop', 'last');
    expect(status).toBe(2);
    expect(stderr).toContain('where the run left it');
    expect(git(other, 'rev-parse', '--verify', '-q', branch)).not.toBe('');
  });
});

describe.concurrent.each(some(['overlay', 'clone']))('the built-in agent in %s', (isolate) => {
  it('works inside, and a file that it tells of is told once', async () => {
    const from = join(import.meta.dirname, '..', '..', 'examples', 'fix-the-test');
    const top = place.checkout(`built-in-${isolate}`);
    cpSync(join(from, 'project'), join(top, 'project'), { recursive: true });
    git(top, 'add', '-A');
    git(top, 'commit', '-qm', 'project');
    const before = fingerprint(top);
    const flags = [
      `--cwd=${join(top, 'project')}`,
      `--model=replay/${join(from, 'model.jsonl')}`,
      '--permission-mode=full',
      '--to=runwire',
    ];
    const { status, stdout } = await runwire(['run', `--isolate=${isolate}`, ...flags, 'make the tests pass'], { env });
    const events = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(status).toBe(0);
    expect(events.flatMap(({ type, path }) => (type === 'file.edited' ? [path] : []))).toEqual(['median.js']);
    expect(events.at(-1).final_report.lineage.branches).toMatchObject([
      { branch_id: 'main' },
      { isolation: isolate, files: 1 },
    ]);
    expect(fingerprint(top)).toEqual(before);
  });
});

describe.concurrent('flags', () => {
  it('of a copy mean nothing without one', async () => {
    const { status, stderr } = await ask('run', '--setup=true', '--dirty=ignore', '-p', 'x');
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: 'runwire: --dirty, --setup: only for a private copy; add --isolate auto\n',
    });
  });

  it('name a run that worked in a copy', async () => {
    await inside(['run', '--', 'cat', example], { env: { ...env, XDG_STATE_HOME: join(place.folder, 'plain') } });
    const { status, stderr } = await inside(['apply', 'last'], {
      env: { ...env, XDG_STATE_HOME: join(place.folder, 'plain') },
    });
    expect(status).toBe(2);
    expect(stderr).toContain('did not work in a private copy: it has no branch of its own');
  });

  it('say what --setup and --copy lack', async () => {
    const root = place.checkout('set-up', { 'a.txt': 'a\n', '.gitignore': '.env\n' });
    const before = fingerprint(root);
    const failed = await ran(root, ':', '--setup=echo no such thing >&2; exit 3');
    expect(failed.status).toBe(1);
    expect(failed.stderr).toContain('failed with exit code 3: no such thing');
    const missing = await ran(root, ':', '--copy=.env');
    expect(missing.status).toBe(2);
    expect(missing.stderr).toContain('--copy .env: there is no such file');
    writeFiles(root, { '.env': 'KEY=1\n' });
    const copied = await ran(
      root,
      'cat .env > seen; cat ready >> seen',
      '--isolate=clone',
      '--copy=.env',
      '--setup=echo ready > ready',
    );
    expect(copied.status).toBe(0);
    const branches = git(root, 'for-each-ref', '--format=%(refname:strip=2)', 'refs/heads/runwire').split('\n');
    expect(branches.map((branch) => git(root, 'ls-tree', '-r', '--name-only', branch))).toContain(
      '.gitignore\na.txt\nready\nseen',
    );
    expect({ ...fingerprint(root), 'tree/.env': undefined }).toEqual({ ...before, 'tree/.env': undefined });
  });
});

function without(print: Record<string, string>, prefix: string): Record<string, string> {
  return Object.fromEntries(Object.entries(print).filter(([path]) => path.startsWith(prefix)));
}

it('of a race, the work of the winner is applied, and that of the others is dropped', async () => {
  const fix = join(import.meta.dirname, '..', '..', 'examples', 'fix-the-test');
  const root = place.checkout('race', {
    'median.js': readFileSync(join(fix, 'project', 'median.js'), 'utf8'),
    'package.json': readFileSync(join(fix, 'project', 'package.json'), 'utf8'),
    'test/median.test.js': readFileSync(join(fix, 'project', 'test', 'median.test.js'), 'utf8'),
  });
  const agents = ['second', 'model'].map((name) => `builtin=replay/${join(fix, `${name}.jsonl`)}`).join(',');
  const rules = ['--best=smallest', '--verify=node --test', '--allow=bash(node --test)'];
  const { stderr } = await ask('race', `--cwd=${root}`, `--agents=${agents}`, ...rules, 'A test fails here. Fix it.');
  const branches = (): string[] =>
    git(root, 'branch', '--format=%(refname:short)', '--list', 'runwire/*').trim().split('\n');
  const [first, second] = branches();
  expect(stderr.split('\n').slice(-6)).toEqual([
    expect.stringMatching(/^ +1 +builtin +\S+ +success +passed +1 +\+3 -1 /),
    expect.stringMatching(/^→ +2 +builtin +\S+ +success +passed +1 +\+1 -1 /),
    `1  ${first}`,
    `2  ${second}`,
    'next: "runwire apply last" takes the work of the winner, "runwire drop last" discards that of the others',
    '',
  ]);
  expect(await ask('apply', 'last')).toMatchObject({ status: 0, stdout: 'modified median.js\n' });
  expect(git(root, 'diff', '--numstat')).toBe('1\t1\tmedian.js');
  expect(await ask('drop', 'last')).toMatchObject({
    status: 0,
    stderr: `runwire: ${second} is the winner's and stays; drop it with --branch\n`,
  });
  expect(branches()).toEqual([second]);
  expect((await ask('drop', 'last', `--branch=${second}`)).status).toBe(0);
  expect(branches()).toEqual(['']);
});
