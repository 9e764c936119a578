import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { gitPlace } from '../../src/run/git.ts';

it('reads what git would say', () => {
  const folder = mkdtempSync(join(tmpdir(), 'runwire-git-'));
  const project = join(folder, 'project');
  mkdirSync(join(project, 'src'), { recursive: true });
  const git = (...args: string[]): string =>
    execFileSync('git', ['-c', 'user.name=nobody', '-c', 'user.email=nobody@example.com', ...args], {
      cwd: project,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], HOME: folder },
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trim();
  expect(gitPlace(project)).toEqual({ repo: '', branch: '', commit: '' });
  git('init', '--quiet', '--initial-branch=feature/one');
  expect(gitPlace(join(project, 'src'))).toEqual({ repo: 'project', branch: 'feature/one', commit: '' });
  git('commit', '--quiet', '--allow-empty', '--message=first');
  const commit = git('rev-parse', 'HEAD');
  const here = { repo: 'project', branch: 'feature/one', commit };
  expect(gitPlace(join(project, 'src'))).toEqual(here);
  git('pack-refs', '--all');
  expect(gitPlace(project)).toEqual(here);
  const tree = join(folder, 'tree');
  git('worktree', 'add', '--quiet', '-b', 'two', tree);
  expect(gitPlace(tree)).toEqual({ repo: 'tree', branch: 'two', commit });
  git('checkout', '--quiet', '--detach');
  expect(gitPlace(project)).toEqual({ repo: 'project', branch: '', commit });
});
