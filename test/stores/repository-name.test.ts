import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { gitPlace } from '../../src/run/git.ts';
import { repositoryName } from '../../src/stores/repository-name.ts';

it.each([
  ['https://github.com/acme/shop.git', 'acme/shop'],
  ['https://ann:token@github.com/acme/shop', 'acme/shop'],
  ['git@github.com:acme/shop.git', 'acme/shop'],
  ['git@host:@scope/repo.git', '@scope/repo'],
  ['git@host:user@example.com/repo.git', 'user@example.com/repo'],
  ['ssh://git@host:2222/group/sub/shop.git', 'group/sub/shop'],
  ['https://dev.azure.com/acme/web/_git/shop', 'acme/web/shop'],
  ['acme/shop', 'acme/shop'],
  ['shop', undefined],
  ['/srv/git/acme/shop.git', undefined],
  ['../shop', undefined],
  ['file:///srv/acme/shop.git', undefined],
  ['', undefined],
])('%s is %s', (address, name) => expect(repositoryName(address)).toBe(name));

it('is read from the remote, not from the folder', () => {
  const folder = mkdtempSync(join(tmpdir(), 'runwire-remote-'));
  const git = (...args: string[]) => execFileSync('git', ['-C', folder, ...args], { stdio: 'pipe' });
  git('init', '-q');
  expect(gitPlace(folder).identity).toBeUndefined();
  git('remote', 'add', 'fork', 'git@host:ann/shop.git');
  expect(gitPlace(folder).identity).toBe('ann/shop');
  git('remote', 'add', 'origin', 'https://host/acme/shop.git');
  mkdirSync(join(folder, 'deep'));
  expect(gitPlace(join(folder, 'deep')).identity).toBe('acme/shop');
  rmSync(folder, { recursive: true, force: true });
});
