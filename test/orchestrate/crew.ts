import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { atFileEnd } from '../support/at-file-end.ts';
import { startModelServer, type ModelServer, type TurnInput } from '../support/model-server/index.ts';
import { folder } from '../cli/run/scripted.ts';

/** One model server for many models: each has turns of its own, given by how often it has answered in that conversation. */
export async function serveModels(models: Readonly<Record<string, readonly TurnInput[]>>): Promise<ModelServer> {
  const server = await startModelServer({
    turns: ({ model, entries }) => {
      const answered = entries.filter(({ role }) => role === 'assistant').length;
      return models[model]?.[answered] ?? { text: `nothing more from ${model}` };
    },
  });
  atFileEnd(() => server.close());
  return server;
}

export function git(cwd: string, ...args: string[]): string {
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' };
  return execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...args], {
    cwd,
    env,
    encoding: 'utf8',
  }).trimEnd();
}

/** A repository whose one test fails: `value.txt` must say `right`. */
export function brokenProject(): string {
  const cwd = folder();
  git(cwd, 'init', '-q', '-b', 'main');
  mkdirSync(join(cwd, 'test'));
  writeFileSync(join(cwd, 'value.txt'), 'wrong\n');
  writeFileSync(join(cwd, 'test', 'value.sh'), 'grep -q right value.txt\n');
  git(cwd, 'add', '-A');
  git(cwd, 'commit', '-qm', 'start');
  return cwd;
}

/** What passes when the test is there and passes. */
export const verify = 'for each in test/*.sh; do sh "$each" || exit 1; done';

export const write = (path: string, content: string) => ({ name: 'write', args: { path, content } });
export const bash = (command: string) => ({ name: 'bash', args: { command } });

/** All that must be the same before and after: files, index, branches but ours, stash, config, hooks. */
export function fingerprint(cwd: string): string {
  const script = `
    find . -path ./.git -prune -o -print0 | sort -z | xargs -0 stat -c '%n %f %s %Y'
    find . -path ./.git -prune -o -type f -print0 | sort -z | xargs -0 sha256sum
    sha256sum .git/index .git/config .git/HEAD
    find .git/hooks -type f -print0 2>/dev/null | sort -z | xargs -0 -r sha256sum
    git for-each-ref --format='%(objectname) %(refname)' | grep -v /runwire/
    git stash list; git worktree list`;
  return execFileSync('sh', ['-c', script], { cwd, encoding: 'utf8' });
}
