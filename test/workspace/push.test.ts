import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { Git } from '../../src/workspace/git.ts';
import { some } from '../support/sweep.ts';
import { changesOf, pushGround } from '../../src/workspace/push-ground.ts';
import { pushBranch, pushObjects } from '../../src/workspace/push.ts';

const folder = mkdtempSync(join(tmpdir(), 'runwire-push-'));
const run = (...args: string[]): string => execFileSync('git', ['-C', folder, ...args], { encoding: 'utf8' });
run('init', '-q');
run('-c', 'user.name=a', '-c', 'user.email=a@b.c', 'commit', '-q', '--allow-empty', '-m', 'one');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('what git says of an address has nothing of its password', () => {
  const git = new Git(folder, process.env);
  const commit = run('rev-parse', 'HEAD').trim();
  const push = (remote: string): Promise<string | undefined> =>
    pushBranch(git, { remote, commit, branch: 'b', env: process.env });

  it.each([
    'http://me:p/ssw0rd@127.0.0.1:1/x.git',
    'http://me:ssw0rd?1@127.0.0.1:1/x.git',
    'http://me:p/ssw0rd 1@127.0.0.1:1/x.git',
    'http://me:p@ssw0rd@127.0.0.1:1/x.git',
    'http://me:p@ssw0rd:x/2@127.0.0.1:1/x.git',
    'git://ssw0rd:p/1@127.0.0.1:1/x.git',
  ])('%s', async (address) => {
    run('config', 'remote.origin.url', 'http://127.0.0.1:1/fetched.git');
    run('config', 'remote.origin.pushurl', address);
    run('config', `url.${address}.insteadOf`, 'short:');
    const said = [
      await push(address),
      await push('origin'),
      await push('short:'),
      await git.text(['ls-remote', address]).catch(String),
    ];
    run('config', '--remove-section', `url.${address}`);
    for (const each of said) {
      expect(each).toMatch(/git takes a "\/"|127\.0\.0\.1/);
      expect(each).not.toContain('ssw0rd');
    }
  });
});

/** A repository that has been written to, the remote that it is to be pushed to, one that it is not, and what must not be run. */
function planted(): {
  top: string;
  own: string;
  decoy: string;
  git: (...args: string[]) => string;
  program: string;
  isRun: () => boolean;
} {
  const top = mkdtempSync(join(folder, 'planted-'));
  const [own, decoy, program] = [join(top, 'own.git'), join(top, 'decoy.git'), join(top, 'program')];
  const git = (...args: string[]): string =>
    execFileSync('git', ['-C', join(top, 'web'), ...args], { encoding: 'utf8', stdio: 'pipe' });
  for (const bare of [own, decoy]) execFileSync('git', ['init', '-q', '--bare', bare]);
  execFileSync('git', ['init', '-q', join(top, 'web')]);
  git('-c', 'user.name=a', '-c', 'user.email=a@b.c', 'commit', '-q', '--allow-empty', '-m', 'one');
  mkdirSync(join(top, 'hooks'));
  mkdirSync(join(top, 'web', '.git', 'hooks'), { recursive: true });
  for (const path of [program, join(top, 'hooks', 'pre-push'), join(top, 'hooks', 'reference-transaction')])
    writeFileSync(path, `#!/bin/sh\ntouch ${top}/run\n`, { mode: 0o755 });
  return { top, own, decoy, git, program, isRun: () => existsSync(join(top, 'run')) };
}

type Planted = ReturnType<typeof planted>;

describe('what an agent writes into the repository that it shares', () => {
  const plants: [name: string, plant: (at: Planted) => void, changed: RegExp][] = [
    [
      'core.hooksPath',
      ({ git, top }) => git('config', 'core.hooksPath', join(top, 'hooks')),
      /^core\.hookspath,the hook /,
    ],
    [
      'a hook',
      ({ git, top }) =>
        git('config', 'include.path', join(top, 'none')) +
        execFileSync('cp', [join(top, 'hooks', 'pre-push'), join(top, 'web', '.git', 'hooks')]).toString(),
      /the hook pre-push/,
    ],
    [
      'a hook for refs',
      ({ top }) => execFileSync('cp', [join(top, 'hooks', 'reference-transaction'), join(top, 'web', '.git', 'hooks')]),
      /^the hook reference-transaction$/,
    ],
    ['core.sshCommand', ({ git, program }) => git('config', 'core.sshCommand', program), /^core\.sshcommand$/],
    [
      'credential.helper',
      ({ git, program }) => git('config', 'credential.helper', `!${program}`),
      /^credential\.helper$/,
    ],
    [
      'a second credential.helper',
      ({ git, program }) => git('config', '--add', 'credential.helper', program),
      /^credential\.helper$/,
    ],
    ['core.askPass', ({ git, program }) => git('config', 'core.askPass', program), /^core\.askpass$/],
    ['core.gitProxy', ({ git, program }) => git('config', 'core.gitProxy', program), /^core\.gitproxy$/],
    ['insteadOf', ({ git, own, decoy }) => git('config', `url.${decoy}.insteadOf`, own), /^url\./],
    ['pushInsteadOf', ({ git, own, decoy }) => git('config', `url.${decoy}.pushInsteadOf`, own), /^url\./],
    [
      'an address with a password',
      ({ git, own }) => git('config', 'url.https://me:pass@example.com/.insteadOf', own),
      /^url\.\*\.insteadof$/,
    ],
    [
      'a remote that is called like the address',
      ({ git, own, decoy }) => git('config', `remote.${own}.pushurl`, decoy),
      /pushurl$/,
    ],
    [
      'a program of the other side',
      ({ git, own, program }) => git('config', `remote.${own}.receivepack`, program),
      /receivepack$/,
    ],
    ['another kind of remote', ({ git, own }) => git('config', `remote.${own}.vcs`, 'ext'), /vcs$/],
    [
      'a signature',
      ({ git, program }) => git('config', 'push.gpgSign', 'true') + git('config', 'gpg.program', program),
      /^push\.gpgsign,gpg\.program$/,
    ],
    [
      'a command that a hook may use',
      ({ git, program }) =>
        git('config', 'alias.base', `!${program}`) +
        git('config', 'submodule.x.update', `!${program}`) +
        git('config', 'gc.recentObjectsHook', program),
      /^alias\.base,submodule\.x\.update,gc\.recentobjectshook$/,
    ],
    ['a proxy', ({ git }) => git('config', 'http.proxy', 'http://127.0.0.1:1'), /^http\.proxy$/],
    [
      'settings in another file',
      ({ git, top }) => (
        writeFileSync(join(top, 'more'), `[core]\n\thooksPath = ${top}/hooks\n`),
        git('config', 'include.path', join(top, 'more'))
      ),
      /^include\.path,core\.hookspath,the hook /,
    ],
  ];

  it.each(some(plants, 6))(
    'has no part in a push from elsewhere, and is seen by one from there: %s',
    async (_name, plant, changed) => {
      const at = planted();
      const git = new Git(join(at.top, 'web'), process.env);
      at.git('config', 'credential.helper', '');
      const before = await pushGround(git);
      plant(at);
      expect(changesOf(before, await pushGround(git)).join()).toMatch(changed);
      const commit = at.git('rev-parse', 'HEAD').trim();
      const refused = await pushObjects(join(at.top, 'web', '.git', 'objects'), {
        remote: at.own,
        commit,
        branch: 'b',
        env: process.env,
      });
      const refs = (bare: string): string =>
        execFileSync('git', ['-C', bare, 'for-each-ref', '--format=%(objectname) %(refname)'], { encoding: 'utf8' });
      expect({ refused, own: refs(at.own), decoy: refs(at.decoy), isRun: at.isRun() }).toEqual({
        refused: undefined,
        own: `${commit} refs/heads/b\n`,
        decoy: '',
        isRun: false,
      });
    },
  );

  it.each([(own: string) => own, (own: string) => `file://${own}`])(
    'gets no credentials in hooks of a repository on this machine that a job names: %#',
    async (addressOf) => {
      const at = planted();
      const seen = join(at.top, 'seen');
      writeFileSync(join(at.own, 'hooks', 'post-receive'), `#!/bin/sh\nenv > ${seen}\n`, { mode: 0o755 });
      const env = {
        ...process.env,
        SSH_AUTH_SOCK: join(at.top, 'agent-socket'),
        HTTPS_PROXY: 'http://me:pass@127.0.0.1:1',
      };
      const commit = at.git('rev-parse', 'HEAD').trim();
      const ask = { remote: addressOf(at.own), commit, branch: 'b', env };
      expect(await pushObjects(join(at.top, 'web', '.git', 'objects'), ask)).toBeUndefined();
      expect(readFileSync(seen, 'utf8')).not.toMatch(/agent-socket|me:pass/);
    },
  );

  it('may be a branch of its own and a name, which no push reads', async () => {
    const at = planted();
    const git = new Git(join(at.top, 'web'), process.env);
    const before = await pushGround(git);
    for (const [key, value] of [
      ['branch.x.remote', 'origin'],
      ['submodule.x.url', 'https://example.com/x.git'],
      ['user.name', 'Ada'],
      ['gc.auto', '0'],
    ] as const)
      at.git('config', key, value);
    expect(changesOf(before, await pushGround(git))).toEqual([]);
  });

  it.each(['pre-push', '_/pre-push'])('is also seen where Husky keeps what its hooks run: %s', async (name) => {
    const at = planted();
    const git = new Git(join(at.top, 'web'), process.env);
    mkdirSync(join(at.top, 'web', '.husky', '_'), { recursive: true });
    at.git('config', 'core.hooksPath', '.husky/_');
    const before = await pushGround(git);
    writeFileSync(join(at.top, 'web', '.husky', name), 'echo\n');
    expect(changesOf(before, await pushGround(git))).toEqual([`the hook ${name}`]);
  });
});
