import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { owners } from '../../src/run/sources/isolated.ts';
import { type Kept, Workspace } from '../../src/workspace/workspace.ts';
import { type RanInside, runInside } from '../../src/workspace/run-inside.ts';
import { fingerprint, makeCheckout, type Place, workIn } from '../support/checkouts.ts';
import { compiled } from '../support/compiled.ts';

const places: Place[] = [];
afterAll(() => places.forEach((place) => place.remove()));
const isRoot = process.geteuid?.() === 0;
const nobody = 65534;
const asNobody = ['setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups'];

/** Each in a shell of its own, in the copy, with the path of the checkout and of a remote. */
const escapes: Record<string, string> = {
  'the absolute path of the checkout':
    'echo escaped >> "$ROOT/README.md"; rm -f "$ROOT/src/main.ts"; echo x > "$ROOT/absolute"',
  'git -C':
    'cd /; git -C "$ROOT" checkout -q -b escaped; git -C "$ROOT" commit -q --allow-empty -m escaped; git -C "$ROOT" tag escaped',
  'git stash': 'echo stash > stashed; git stash -q -u; git -C "$ROOT" stash list',
  hooks:
    'printf "#!/bin/sh\\ntouch by-hook\\n" > "$ROOT/.git/hooks/pre-commit"; chmod +x "$ROOT/.git/hooks/pre-commit"',
  'a link out and back in':
    'ln -s "$ROOT" "$HOME/link-to-it"; echo x > "$HOME/link-to-it/by-link"; ln -s "$HOME/link-to-it/.git/config" linked; echo x >> linked',
  'other roots':
    'for root in /proc/1/root /proc/$PPID/root /proc/self/root /proc/thread-self/root; do echo x > "$root$ROOT/by-proc"; done',
  'open files':
    'for fd in /proc/*/fd/*; do [ -d "$fd" ] && echo x > "$fd/by-fd"; done; for cwd in /proc/*/cwd; do echo x > "$cwd/README.md"; done',
  mounts:
    'umount "$ROOT"; umount -l "$ROOT"; mount --move "$ROOT" /mnt; mount --bind / /mnt && echo x > "/mnt$ROOT/by-bind"; echo x > "$ROOT/after-umount"',
  'other namespaces':
    "nsenter -t 1 -m -- sh -c \"echo x > '$ROOT/by-nsenter'\"; unshare -Urm sh -c \"umount -l '$ROOT'; mount --bind / /mnt; echo x > '/mnt$ROOT/by-unshare'; echo x > '$ROOT/by-unshare'\"",
  'a daemon':
    "(setsid sh -c \"(sleep 0.3; echo late > '$ROOT/by-daemon'; git -C '$ROOT' branch late) &\" &) </dev/null >/dev/null 2>&1",
  'git push to a path': 'git push -q "$REMOTE" HEAD:refs/heads/escaped; git push -q origin HEAD:refs/heads/escaped2',
  'git push to file://': 'git push -q "file://$REMOTE" HEAD:refs/heads/escaped3',
  'git worktree add': 'git worktree add -q ../beside -b beside; git -C ../beside commit -q --allow-empty -m beside',
  'config of the repository':
    'git config --file "$(git rev-parse --git-common-dir)/config" core.pager escaped; git config alias.x "!touch by-alias"',
  'hard links':
    'ln "$ROOT/README.md" "$HOME/hard"; echo x >> "$HOME/hard"; ln "$ROOT/.git/index" "$HOME/index"; echo x >> "$HOME/index"',
  'modes and attributes':
    'chmod 777 "$ROOT/README.md" "$ROOT/src" "$ROOT"; chmod -R a+w .git; setfattr -n user.x -v 1 README.md; touch -d 2001-01-01 README.md',
  'the layers of copies':
    'find "$XDG_STATE_HOME/runwire/copies" -type f 2>/dev/null; echo x > "$XDG_STATE_HOME/runwire/copies/by-layer"; rm -rf "$XDG_STATE_HOME/runwire/copies"/*',
};

describe
  .skipIf(process.platform !== 'linux')
  .concurrent.each([['ourselves', []] as const, ...(isRoot ? [['an unprivileged user', asNobody] as const] : [])])(
  'as %s',
  (_, prefix) => {
    it(`contains ${Object.keys(escapes).length} ways out of an overlay`, async () => {
      const place = makeCheckout('runwire-escapes-');
      places.push(place);
      const root = place.checkout('project');
      const [remote, unnamed] = ['remote.git', 'unnamed.git'].map((name) => join(place.folder, name)) as [
        string,
        string,
      ];
      for (const path of [remote, unnamed]) place.git(place.folder, 'init', '-q', '--bare', path);
      place.git(root, 'remote', 'add', 'origin', remote);
      if (prefix.length > 0) {
        chmodSync(tmpdir(), 0o711);
        execFileSync('chown', ['-R', `${nobody}:${nobody}`, place.folder]);
      }
      const before = { root: fingerprint(root), remote: fingerprint(remote), stat: statsOf(root) };
      const script = Object.values(escapes)
        .map((escape) => `(${escape}) 2>>/dev/null`)
        .join('\n');
      const order = {
        env: { ...place.env, ROOT: root, REMOTE: remote },
        cwd: root,
        script: `${script}\necho left > left; git log -1 --format=%s`,
        ask: { isolate: 'overlay' },
      };
      const [command = '', ...args] = [
        ...prefix,
        process.execPath,
        join(import.meta.dirname, '..', 'support', 'copy-worker.ts'),
      ];
      const { stdout } = await promisify(execFile)(command, [...args, JSON.stringify(order)], {
        env: { PATH: process.env['PATH'], ...compiled },
      });
      const { kept, ran } = JSON.parse(stdout) as { kept: Kept; ran: RanInside };
      await wait(400);
      expect({ root: fingerprint(root), remote: fingerprint(remote), stat: statsOf(root) }).toEqual(before);
      // What was done inside is kept all the same.
      expect(ran.output).toContain('escaped');
      expect(kept.changes.map(({ path }) => path)).toEqual(
        expect.arrayContaining(['after-umount', 'by-link', 'by-proc', 'left']),
      );
      expect(place.git(root, 'diff', '--name-only', 'main', 'runwire/test/1-work-also/stash')).toContain('src/main.ts');
    });
  },
);

it.skipIf(process.platform !== 'linux')(
  'makes an overlay with no tool from PATH, which may begin with a folder of the repository',
  async () => {
    const place = makeCheckout();
    places.push(place);
    const root = place.checkout('project');
    const bin = join(place.folder, 'bin');
    mkdirSync(bin);
    for (const name of ['mount', 'umount', 'rm', 'unshare', 'setpriv'])
      writeFileSync(
        join(bin, name),
        `#!/bin/sh\ntouch '${root}/by-${name}'\nexec /usr/bin/env PATH=/usr/bin:/bin ${name} "$@"\n`,
        {
          mode: 0o755,
        },
      );
    const env = { ...place.env, PATH: `${bin}:${process.env['PATH']}` };
    const ask = { isolate: 'overlay', dirty: 'refuse', branch: 'runwire/test/1-work', copied: [] } as const;
    const { signal } = new AbortController();
    const workspace = await Workspace.plan(ask, { cwd: root, env, owners });
    await workspace.create(signal);
    const { output } = await runInside(workspace, 'command -v mount', { env, signal });
    await workspace.keep();
    await workspace.remove();
    expect([output.trim(), place.git(root, 'status', '--short')]).toEqual([join(bin, 'mount'), '']);
  },
);

it.skipIf(process.platform !== 'linux')(
  'covers every folder that git would push to, whatever a config calls it',
  async () => {
    const place = makeCheckout();
    places.push(place);
    const root = place.checkout('project');
    const at = (name: string): string => join(place.folder, name);
    const named: Record<string, (path: string) => readonly (readonly [key: string, value: string])[]> = {
      'url.git': (path) => [['remote.url.url', path]],
      'short.git': (path) => [['remote.short.url', path.slice(0, -'.git'.length)]],
      'a b%.git': (path) => [['remote.escaped.url', `file://${encodeURI(path)}`]],
      'pushurl.git': (path) => [
        ['remote.pushurl.url', 'https://example.invalid/x'],
        ['remote.pushurl.pushurl', path],
      ],
      'instead.git': (path) => [
        ['remote.instead.url', 'corp:instead.git'],
        [`url.${dirname(path)}/.insteadOf`, 'corp:'],
      ],
      'push-instead.git': (path) => [
        ['remote.push-instead.url', 'corp-push:push-instead.git'],
        [`url.${dirname(path)}/.pushInsteadOf`, 'corp-push:'],
      ],
      'default.git': (path) => [['remote.pushDefault', path]],
      'branch.git': (path) => [['branch.main.remote', path]],
      'push-branch.git': (path) => [['branch.main.pushRemote', path]],
      'separate.git': () => [['remote.separate.url', at('checkout-of-separate')]],
    };
    const legacy: Record<string, (path: string) => string> = {
      'remotes/remote-file.git': (path) => `Pull: x\nURL:   ${path}  \nPush: refs/heads/main\n`,
      'remotes/shortened-file.git': (path) => `URL: corp:${basename(path)}`,
      'branches/branch-file.git': (path) => `${path}#main\n`,
      'branches/shortened.git': (path) => `corp:${basename(path)}\n`,
    };
    const all = [...Object.keys(named), ...Object.keys(legacy).map((name) => basename(name))];
    for (const [name, settings] of Object.entries(named)) {
      place.git(place.folder, 'init', '-q', '--bare', at(name));
      for (const [key, value] of settings(at(name))) place.git(root, 'config', key, value);
    }
    mkdirSync(at('checkout-of-separate'));
    writeFileSync(join(at('checkout-of-separate'), '.git'), `gitdir: ${at('separate.git')}\n`);
    for (const [name, text] of Object.entries(legacy)) {
      place.git(place.folder, 'init', '-q', '--bare', at(basename(name)));
      mkdirSync(dirname(join(root, '.git', name)), { recursive: true });
      writeFileSync(join(root, '.git', name), text(at(basename(name))));
    }
    // A bundle is a remote, too, and no folder.
    place.git(root, 'bundle', 'create', '-q', at('a.bundle'), 'main');
    place.git(root, 'remote', 'add', 'bundle', at('a.bundle'));
    const script = all.map((name) => `git push -q '${at(name)}' HEAD:refs/heads/pushed && echo pushed`);
    const { ran } = await workIn(place, root, script.join('\n'), { isolate: 'overlay' });
    expect(ran.output.trim().split('\n')).toEqual(all.map(() => 'pushed'));
    expect(all.filter((name) => place.git(at(name), 'for-each-ref') !== '')).toEqual([]);
  },
);

/** What a fingerprint leaves out. */
function statsOf(root: string): string {
  return execFileSync(
    'find',
    [
      root,
      '-path',
      '*/.git/objects',
      '-prune',
      '-o',
      '-path',
      '*/.git/refs/heads*',
      '-prune',
      '-o',
      '-type',
      'f',
      '-printf',
      '%p %m %T@ %n %u\n',
    ],
    {
      encoding: 'utf8',
    },
  );
}
