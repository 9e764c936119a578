import { realpathSync } from 'node:fs';
import { relative } from 'node:path';
import { Failure } from '../failure.ts';
import type { Environment } from '../vocabulary.ts';
import { answerOf, Git, gitEnvironment } from './git.ts';

/** What a folder is to git. Nothing in it is ever changed by us, but for branches of our own. */
export interface Repository {
  git: Git;
  /** The top of the checkout. */
  root: string;
  /** The folder that was asked about, seen from the top; empty: the top itself. */
  below: string;
  /** Of this checkout; in a linked worktree not the one that is shared. */
  gitDir: string;
  /** Where objects, branches and config are. */
  commonDir: string;
  /** Undefined: HEAD is detached. */
  branch: string | undefined;
  /** Undefined: there is no commit yet. */
  head: string | undefined;
  isShallow: boolean;
}

/** One shell for all questions: a process of ours has a guard, which costs more than git does. A path may hold a newline, never a NUL. */
const questions = `
git rev-parse --path-format=absolute --show-toplevel || exit 1; printf '\\0'
git rev-parse --absolute-git-dir; printf '\\0'
git rev-parse --path-format=absolute --git-common-dir; printf '\\0'
git rev-parse --is-shallow-repository; printf '\\0'
git symbolic-ref -q --short HEAD; printf '\\0'
git rev-parse -q --verify 'HEAD^{commit}'; printf '\\0'
`;

export async function openRepository(folder: string, env: Environment): Promise<Repository> {
  const order = { command: '/bin/sh', args: ['-c', questions], cwd: folder, env: gitEnvironment(env) };
  const { stdout, stderr } = await answerOf(order);
  const [root = '', gitDir = '', commonDir = '', shallow, branch = '', head = ''] = stdout
    .toString()
    .split('\0')
    .map((answer) => answer.replace(/\n$/, ''));
  if (root === '' || gitDir === '' || commonDir === '') throw new Failure('input', explain(folder, stderr));
  return {
    git: new Git(root, env),
    root,
    below: relative(root, realpathSync(folder)),
    gitDir,
    commonDir,
    branch: branch || undefined,
    head: head || undefined,
    isShallow: shallow === 'true',
  };
}

function explain(folder: string, stderr: string): string {
  if (stderr.includes('dubious ownership'))
    return `${folder}: git does not trust this folder, which belongs to another user; see "git help config", safe.directory`;
  if (stderr.includes('must be run in a work tree'))
    return `${folder}: a bare repository has no files to work on; name a checkout with --cwd`;
  if (/\bgit: (?:command )?not found/.test(stderr)) return 'git is not installed, and a private copy is made with it';
  return `${folder}: not a git repository, so there is nothing to make a private copy of; run "git init" and commit first, or name another folder with --cwd`;
}

/** The commit that a branch, a tag or any other name stands for. */
export async function commitOf({ git }: Repository, name: string): Promise<string> {
  // Never an option, whatever it begins with.
  const commit = await git.try(['rev-parse', '-q', '--verify', '--end-of-options', `${name}^{commit}`]);
  if (commit === undefined) throw new Failure('input', `there is no branch or commit "${name}" in this repository; see "git branch --all"`);
  return commit.split('\n').at(-1) ?? commit;
}
