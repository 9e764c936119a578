import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { Git } from '../../src/workspace/git.ts';
import { pushBranch } from '../../src/workspace/push.ts';

const folder = mkdtempSync(join(tmpdir(), 'runwire-push-'));
const run = (...args: string[]): string => execFileSync('git', ['-C', folder, ...args], { encoding: 'utf8' });
run('init', '-q');
run('-c', 'user.name=a', '-c', 'user.email=a@b.c', 'commit', '-q', '--allow-empty', '-m', 'one');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('what git says of an address has nothing of its password', () => {
  const git = new Git(folder, process.env);
  const commit = run('rev-parse', 'HEAD').trim();
  const push = (remote: string): Promise<string | undefined> => pushBranch(git, { remote, commit, branch: 'b', env: process.env });

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
    const said = [await push(address), await push('origin'), await push('short:'), await git.text(['ls-remote', address]).catch(String)];
    run('config', '--remove-section', `url.${address}`);
    for (const each of said) {
      expect(each).toMatch(/git takes a "\/"|127\.0\.0\.1/);
      expect(each).not.toContain('ssw0rd');
    }
  });
});
