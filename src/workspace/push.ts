import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf } from '../failure.ts';
import { present } from '../json/present.ts';
import type { Environment } from '../words/vocabulary.ts';
import { withoutUsers } from '../redact/without-user.ts';
import { quotedEnd } from '../redact/quoted.ts';
import { Git } from './git.ts';
import { removeFolder } from './remove-folder.ts';

const credentials = [
  'SSH_AUTH_SOCK',
  'GIT_SSH',
  'GIT_SSH_COMMAND',
  'GIT_SSL_CAINFO',
  'SSL_CERT_FILE',
  'HTTPS_PROXY',
  'https_proxy',
  'NO_PROXY',
  'no_proxy',
];
const sshThatNeverAsks = 'ssh -o BatchMode=yes -o ConnectTimeout=20';

/** What git needs to reach a remote as the user; it never prompts. */
function credentialsIn(env: Environment): Environment {
  return {
    GIT_SSH_COMMAND: sshThatNeverAsks,
    ...present(Object.fromEntries(credentials.map((name) => [name, env[name]]))),
  };
}

/** The same for one that anybody may have named: a repository on this machine needs none of it, and has hooks that would get it. */
export function credentialsFor(remote: string, env: Environment): Environment {
  return /^file:/i.test(remote) || !/^[^/]*:/.test(remote) ? {} : credentialsIn(env);
}

export interface PushAsk {
  remote: string;
  commit: string;
  branch: string;
  env: Environment;
  signal?: AbortSignal | undefined;
}

/**
 * Pushes a commit as a branch, never with force, as the user would: with the settings and hooks of the repository. Only for one in which they
 * are the user's own. Returns what went wrong; undefined: nothing did.
 */
export async function pushBranch(git: Git, ask: PushAsk): Promise<string | undefined> {
  return push(git, ask, { hooks: true, access: credentialsIn(ask.env) });
}

/**
 * The same for a repository that agents could write to: it is pushed from an empty one that borrows its objects, so that none of its
 * settings, hooks or remotes has a part in it.
 */
export async function pushObjects(objects: string, ask: PushAsk): Promise<string | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'runwire-push-'));
  try {
    const git = new Git(folder, ask.env);
    await git.text([
      'init',
      '-q',
      '--bare',
      '--template=',
      ...(ask.commit.length > sha1Length ? ['--object-format=sha256'] : []),
      '.',
    ]);
    await writeFile(join(folder, 'objects', 'info', 'alternates'), `${objects}\n`);
    return await push(git, ask, { hooks: false, access: credentialsFor(ask.remote, ask.env) });
  } catch (error) {
    return `the push failed: ${messageOf(error)}`;
  } finally {
    await removeFolder(folder);
  }
}

const sha1Length = 40;

async function push(
  git: Git,
  { remote, commit, branch, env, signal }: PushAsk,
  { hooks, access }: { hooks: boolean; access: Environment },
): Promise<string | undefined> {
  const args = [
    'push',
    '--porcelain',
    '--no-follow-tags',
    '--recurse-submodules=no',
    '--',
    remote,
    `${commit}:refs/heads/${branch}`,
  ];
  try {
    const { code, stdout, stderr } = await git.ask(args, { env: access, signal, hooks });
    if (code === 0) return undefined;
    const words = [rejection(stdout.toString()), saidBy(stderr, await addressesOf(git, remote), env)].filter(
      (each) => each !== undefined && each !== '',
    );
    return `the push was refused: ${words.join('; ')}`;
  } catch (error) {
    return `the push failed: ${messageOf(error)}`;
  }
}

/** A remote's name, and the addresses behind it. */
async function addressesOf(git: Git, remote: string): Promise<string[]> {
  const questions = [
    ['remote', 'get-url', '--push', '--all', '--', remote],
    ['ls-remote', '--get-url', '--', remote],
  ];
  const answers = await Promise.all(questions.map((args) => git.try(args)));
  return [remote, ...answers.flatMap((answer) => answer?.split('\n') ?? [])];
}

/** Messages of a hook or server, without git's own summary. Git takes a password to end at its first `@`, and prints the rest. */
function saidBy(stderr: string, addresses: readonly string[], env: Environment): string {
  const lines = withoutUsers(stderr, addresses)
    .split('\n')
    .map((line) => line.trim());
  const reasons = lines.filter((line) => !/^(?:remote:)?$|^hint:|^error: failed to push some refs/.test(line));
  return quotedEnd(reasons.slice(-5).join('; '), 500, env);
}

/** `!	COMMIT:refs/…	[rejected] (non-fast-forward)` */
function rejection(porcelain: string): string | undefined {
  const line = porcelain.split('\n').find((each) => each.startsWith('!'));
  return line?.split('\t').at(-1)?.trim();
}
