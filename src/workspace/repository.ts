import { realpathSync } from 'node:fs';
import { relative } from 'node:path';
import { Failure } from '../failure.ts';
import type { Environment } from '../words/vocabulary.ts';
import { answerOf, Git, gitEnvironment } from './git.ts';
import { scriptStart } from './repository-programs.ts';
import { checkoutsAround, rootsOf } from '../processes/trusted.ts';

/** The repository that a folder belongs to. We never change anything in it, except for our own branches. */
export interface Repository {
  git: Git;
  /** The top of the checkout. */
  root: string;
  /** The folder that was asked about, relative to the top; empty: the top itself. */
  below: string;
  /** The git folder of this checkout; in a linked worktree not the shared one. */
  gitDir: string;
  /** Where objects, branches and config are. */
  commonDir: string;
  /** Undefined: HEAD is detached. */
  branch: string | undefined;
  /** Undefined: there is no commit yet. */
  head: string | undefined;
  isShallow: boolean;
}

const places = ['--show-toplevel', '--absolute-git-dir', '--git-common-dir', '--is-shallow-repository'];

/** One shell for all questions: each process that we start gets a guard, which costs more than git does. */
const questions = `
git rev-parse --path-format=absolute ${places.join(' ')} || exit 1; printf '\\0'
git symbolic-ref -q --short HEAD; printf '\\0'
git rev-parse -q --verify 'HEAD^{commit}'; printf '\\0'
`;

/** A folder of a checkout may look like a bare repository, with a config of its own. */
const onlyCheckouts = 'set_config safe.bareRepository explicit\n';

/** A path may contain a line break, but never a NUL. */
const onePlaceAtATime = `for place; do git rev-parse --path-format=absolute "$place"; printf '\\0'; done`;

export async function openRepository(folder: string, env: Environment): Promise<Repository> {
  return (await askRepository(folder, env, ':')).repository;
}

/** The same, and the output of one more script with its `$1`, `$2`, …. */
export async function askRepository(
  folder: string,
  env: Environment,
  script: string,
  args: readonly string[] = [],
): Promise<{ repository: Repository; answer: string }> {
  const ask = async (text: string, words: readonly string[]): Promise<{ answers: string[]; stderr: string }> => {
    const roots = checkoutsAround(folder, env);
    const order = {
      command: '/bin/sh',
      args: ['-c', `${scriptStart}${onlyCheckouts}${text}`, 'sh', ...words],
      cwd: folder,
      env: gitEnvironment(env, roots),
    };
    const { stdout, stderr } = await answerOf(order, { checkout: roots.at(-1) ?? folder });
    return { answers: stdout.toString().split('\0'), stderr };
  };
  const withoutNewline = (answer: string): string => answer.replace(/\n$/, '');
  const { answers, stderr } = await ask(questions + script, args);
  const [lines = '', branch = '', head = ''] = answers.slice(0, 3).map(withoutNewline);
  let found = lines.split('\n');
  if (found.length > places.length) found = (await ask(onePlaceAtATime, places)).answers.map(withoutNewline);
  const [root = '', gitDir = '', commonDir = '', shallow] = found;
  if (root === '' || gitDir === '' || commonDir === '') throw new Failure('input', explain(folder, stderr));
  const repository: Repository = {
    git: new Git(root, env, rootsOf({ root, commonDir }, env)),
    root,
    below: relative(root, realpathSync(folder)),
    gitDir,
    commonDir,
    branch: branch || undefined,
    head: head || undefined,
    isShallow: shallow === 'true',
  };
  return { repository, answer: answers.slice(3).join('\0') };
}

function explain(folder: string, stderr: string): string {
  if (stderr.includes('dubious ownership'))
    return `${folder}: git does not trust this folder, which belongs to another user; see "git help config", safe.directory`;
  if (/must be run in a work tree|cannot use bare repository/.test(stderr))
    return `${folder}: a bare repository has no files to work on; name a checkout with --cwd`;
  if (/\bgit: (?:command )?not found/.test(stderr)) return 'git is not installed, and private copies need it';
  return `${folder}: not a git repository, so there is nothing to make a private copy of; run "git init" and commit first, or name another folder with --cwd`;
}

/** The commit that a branch, a tag or any other name stands for. */
export async function commitOf({ git }: Repository, name: string): Promise<string> {
  // Whatever the name begins with, it is never taken for an option.
  const commit = await git.try(['rev-parse', '-q', '--verify', '--end-of-options', `${name}^{commit}`]);
  if (commit === undefined)
    throw new Failure('input', `there is no branch or commit "${name}" in this repository; see "git branch --all"`);
  return commit.split('\n').at(-1) ?? commit;
}
