import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { owners } from '../../src/run/sources/isolated.ts';
import { isolations } from '../../src/words/vocabulary.ts';
import { copiesFolder, type Owners } from '../../src/workspace/copies.ts';
import { listCopies, reclaim } from '../../src/workspace/reclaim.ts';
import { runInside } from '../../src/workspace/run-inside.ts';
import { Workspace, type WorkspaceAsk } from '../../src/workspace/workspace.ts';
import { fingerprint, makeCheckout, type Place, workIn } from '../support/checkouts.ts';
import { compiled } from '../support/compiled.ts';
import { some } from '../support/sweep.ts';

const places: Place[] = [];
afterAll(() => places.forEach((place) => place.remove()));
const newPlace = (): Place => {
  const place = makeCheckout();
  places.push(place);
  return place;
};
const crashed: Owners = { ...owners, isGone: () => true };
const { signal } = new AbortController();

/** As a crash leaves it. */
async function left({ env }: Place, cwd: string, script: string, ask: Partial<WorkspaceAsk>): Promise<void> {
  const whole: WorkspaceAsk = { isolate: 'auto', dirty: 'refuse', branch: 'runwire/test/1-work', copied: [], ...ask };
  const workspace = await Workspace.plan(whole, { cwd, env, owners });
  await workspace
    .create(signal)
    .then(() => runInside(workspace, script, { env, signal }))
    .catch(() => {});
}

describe.concurrent('what a crash left', () => {
  it('is listed, kept on its branch, and removed', async () => {
    const place = newPlace();
    const root = place.checkout('project');
    const before = fingerprint(root);
    for (const isolate of isolations)
      await left(place, root, 'echo a > a; git add -A; git commit -qm a; echo b > b', {
        isolate,
        branch: `runwire/left/1-${isolate}`,
      });
    await left(place, root, 'echo half', { setup: 'echo half > half; exit 1', branch: 'runwire/left/2-half' });
    await left(place, root, 'echo x > x', { isDisposable: true, branch: 'runwire/left/3-disposable' });
    for (const isolate of isolations)
      await left(place, root, 'true', { isolate, branch: `runwire/left/4-idle-${isolate}` });
    await left(place, root, '', { isolate: 'worktree', setup: 'exit 1', branch: 'runwire/left/5-not-set-up' });
    expect(new Set(listCopies(place.env, owners).map(({ state }) => state))).toEqual(new Set(['in_use']));
    expect(await reclaim(place.env, { owners })).toEqual({ copies: [], strays: [] });
    const would = await reclaim(place.env, { owners: crashed, dryRun: true });
    expect(would.copies.map(({ copy }) => copy.isolation).slice(0, 3)).toEqual([...isolations]);
    expect([would.strays, listCopies(place.env, crashed).length]).toEqual([[], 9]);
    const { copies } = await reclaim(place.env, { owners: crashed });
    expect(copies.map(({ kept, problem }) => ({ paths: kept?.changes.map(({ path }) => path), problem }))).toEqual([
      ...isolations.map(() => ({ paths: ['a', 'b'], problem: undefined })),
      ...Array.from({ length: 6 }, () => ({ paths: undefined, problem: undefined })),
    ]);
    const branches = place.git(root, 'for-each-ref', '--format=%(refname:strip=2)', 'refs/heads/runwire').split('\n');
    expect(branches).toEqual(['runwire/left/1-clone', 'runwire/left/1-overlay', 'runwire/left/1-worktree']);
    expect(readdirSync(copiesFolder(place.env))).toEqual([]);
    expect(fingerprint(root)).toEqual(before);
  });

  it('stays where its work cannot be kept, until it is discarded', async () => {
    const place = newPlace();
    const root = place.checkout('project');
    await left(place, root, 'echo a > a', {});
    renameSync(root, join(place.folder, 'moved'));
    const { copies } = await reclaim(place.env, { owners: crashed });
    expect(copies.map(({ problem }) => problem)).toEqual([`its repository ${join(root, '.git')} is gone`]);
    expect((await reclaim(place.env, { owners: crashed, discards: true })).copies).toHaveLength(1);
    expect(readdirSync(copiesFolder(place.env))).toEqual([]);
  });

  it('is nothing but what is ours', async () => {
    const place = newPlace();
    const copies = copiesFolder(place.env);
    const victim = join(place.folder, 'victim');
    for (const folder of [
      victim,
      join(copies, 'try-0123456789ab'),
      join(copies, '0123456789ab.gone'),
      join(copies, 'own'),
    ])
      mkdirSync(folder, { recursive: true });
    const plan = {
      root: victim,
      gitDir: victim,
      commonDir: victim,
      folder: victim,
      branch: 'x',
      base: 'x',
      isCheckedOut: true,
      isSnapshot: false,
    };
    const note = {
      plan: { ...plan, copied: [], layers: [] },
      kind: 'clone',
      slot: 0,
      owner: {},
      made_at: 0,
      is_ready: false,
    };
    writeFileSync(join(copies, 'victim.json'), JSON.stringify(note));
    writeFileSync(join(copies, 'broken.json'), '{');
    writeFileSync(join(copies, '1.slot'), JSON.stringify(owners.self()));
    expect(await reclaim(place.env, { owners })).toEqual({ copies: [], strays: [] });
    const { strays } = await reclaim(place.env, { owners: crashed, now: Date.now() + 2 * 3_600_000 });
    expect(strays.map((path) => path.slice(copies.length + 1)).toSorted()).toEqual([
      '0123456789ab.gone',
      '1.slot',
      'try-0123456789ab',
    ]);
    expect(readdirSync(copies).toSorted()).toEqual(['broken.json', 'own', 'victim.json']);
    expect(readdirSync(place.folder)).toContain('victim');
  });

  it('has a slot for the next one', async () => {
    const place = newPlace();
    const root = place.checkout('project');
    mkdirSync(copiesFolder(place.env), { recursive: true });
    const [gone, alive] = [{ ...(owners.self() as object), pid: 2 ** 22 + 1 }, owners.self()];
    writeFileSync(join(copiesFolder(place.env), '1.slot'), JSON.stringify(alive));
    writeFileSync(join(copiesFolder(place.env), '2.slot'), JSON.stringify(gone));
    const { ran } = await workIn(place, root, 'echo $RUNWIRE_SLOT $RUNWIRE_PORT_BASE');
    expect(ran.output).toBe('2 20200\n');
  });
});

it.skipIf(process.geteuid?.() !== 0).each([
  ['root: it has a layer of its own', [], { isolation: 'overlay', output: 'volume\n', paths: ['left'] }],
  [
    'a user: a clone is used',
    ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'],
    { isolation: 'clone', output: '', paths: ['left'] },
  ],
] as const)('a mount inside the checkout, as %s', async (_, prefix, expected) => {
  const place = newPlace();
  const root = place.checkout('project', { 'a.txt': 'a\n', '.gitignore': 'volume\n' });
  mkdirSync(join(root, 'volume'));
  chmodSync(tmpdir(), 0o711);
  execFileSync('chown', ['-R', '65534:65534', place.folder]);
  const worker = join(import.meta.dirname, '..', 'support', 'copy-worker.ts');
  const script = 'cat volume/file 2>/dev/null; mkdir -p volume; echo escaped > volume/file; echo x > left';
  const order = JSON.stringify({ env: place.env, cwd: root, script, ask: { isolate: 'auto' } });
  // A mount for these processes alone.
  const mounting =
    'cd "$1" && mount -t tmpfs none volume && echo volume > volume/file && shift && "$@" && cat volume/file';
  const args = ['--mount', 'sh', '-c', mounting, 'sh', root, ...prefix, process.execPath, worker, order];
  const { stdout } = await promisify(execFile)('unshare', args, { env: { ...process.env, ...compiled } });
  const [line = '', after] = stdout.split('\n');
  const { kept, ran, isolation } = JSON.parse(line);
  expect({ isolation, output: ran.output, paths: kept.changes.map(({ path }: { path: string }) => path) }).toEqual(
    expected,
  );
  expect(after).toBe('volume');
});

it.skipIf(process.geteuid?.() !== 0).each(some(['overlay', 'clone'] as const))(
  'keeps what nobody may read, as an unprivileged user, in %s',
  async (isolate) => {
    const place = newPlace();
    const root = place.checkout('project');
    chmodSync(tmpdir(), 0o711);
    execFileSync('chown', ['-R', '65534:65534', place.folder]);
    const script =
      'echo secret > file; chmod 000 file; mkdir folder; echo deep > folder/deep; chmod 000 folder; chmod 000 src';
    const worker = join(import.meta.dirname, '..', 'support', 'copy-worker.ts');
    const order = JSON.stringify({ env: place.env, cwd: root, script, ask: { isolate } });
    const { stdout } = await promisify(execFile)(
      'setpriv',
      ['--reuid=65534', '--regid=65534', '--clear-groups', process.execPath, worker, order],
      { env: { ...process.env, ...compiled } },
    );
    const { kept } = JSON.parse(stdout);
    expect(kept.changes.map(({ path }: { path: string }) => path)).toEqual(['file', 'folder/deep']);
    expect(readdirSync(copiesFolder(place.env))).toEqual([]);
  },
);
