import { basename } from 'node:path';
import { Failure } from '../failure.ts';
import { present } from '../json/present.ts';
import type { Dirty, Environment } from '../words/vocabulary.ts';
import { findBase } from '../workspace/base.ts';
import { longPatienceMs } from '../workspace/git.ts';
import { partsOfAddress } from '../redact/without-user.ts';
import { openRepository, type Repository } from '../workspace/repository.ts';
import { quoted } from '../redact/quoted.ts';
import type { Origin } from './job.ts';
import { shellScript } from '../files/shell-script.ts';

export const largestBundle = 256 * 1024 * 1024;

export interface OriginAsk {
  /** The branch or commit to start from; unset: what is checked out. */
  from?: string | undefined;
  dirty: Dirty;
  /** Whether the commit is sent with the job, because workers cannot reach the remote or the commit is not there. */
  bundle: boolean;
}

/** Where a worker finds the content of a folder. Undefined: the folder is not in a git repository, and its files are not needed. */
export async function findOrigin(
  cwd: string,
  { from, dirty, bundle }: OriginAsk,
  env: Environment,
): Promise<{ origin: Origin; bundle: Uint8Array | undefined } | undefined> {
  const repository = await openRepository(cwd, env).catch((error: unknown) => {
    if (bundle || from !== undefined || !(error instanceof Failure) || error.code !== 'input') throw error;
    return undefined;
  });
  if (repository === undefined) return undefined;
  const { git, root, below } = repository;
  const { commit, branchId } = await findBase(repository, present({ from, dirty }) as { dirty: Dirty });
  const remote = forWorkers((await git.try(['config', '--get', 'remote.origin.url'])) ?? '');
  if (!bundle && remote === '')
    throw new Failure(
      'input',
      'this repository has no remote "origin" that a worker could fetch from; use --bundle to send the commit with the job',
    );
  if (!bundle && !(await isPublished(repository, commit)))
    throw new Failure(
      'input',
      `no branch of the remote has the commit ${commit.slice(0, 10)}; push it first, or use --bundle to send it with the job`,
    );
  return {
    origin: {
      commit,
      below,
      name: nameOf(remote) ?? basename(root),
      ...present({ remote: remote || undefined, branch: branchId || undefined }),
    },
    bundle: bundle ? await bundleOf(repository, commit) : undefined,
  };
}

async function isPublished({ git }: Repository, commit: string): Promise<boolean> {
  return (
    ((await git.try(['for-each-ref', '--contains', commit, '--count=1', '--format=x', 'refs/remotes'])) ?? '') !== ''
  );
}

/** Git bundles refs, not commits, so a temporary ref is made. */
const bundleScript = shellScript(import.meta.dirname, 'scripts/bundle.sh');

async function bundleOf({ git }: Repository, commit: string): Promise<Uint8Array> {
  const { code, stdout, stderr } = await git.askScript(bundleScript, [commit], { maxBytes: largestBundle });
  if (code !== 0) throw new Failure('config', `git bundle: ${quoted(stderr, 400)}`);
  return stdout;
}

/** The commits of a branch that are not in its base. Undefined: there are none. */
export async function bundleOfWork(
  { git }: Pick<Repository, 'git'>,
  branch: string,
  base: string,
): Promise<Uint8Array | undefined> {
  const ref = `refs/heads/${branch}`;
  if ((await git.try(['rev-list', '-n', '1', ref, `^${base}`])) === '') return undefined;
  const { code, stdout, stderr } = await git.ask(['bundle', 'create', '-q', '-', ref, `^${base}`], {
    maxBytes: largestBundle,
    patienceMs: longPatienceMs,
  });
  if (code !== 0) throw new Failure('config', `git bundle: ${quoted(stderr, 400)}`);
  return stdout;
}

/** The address without the token that it may hold; outside HTTP the user is part of the address and stays. */
function forWorkers(address: string): string {
  const { scheme, user, place } = partsOfAddress(address);
  if (scheme === '' || user === '') return address;
  const name = /https?:\/\/$/i.test(scheme) ? '' : user.split(':', 1)[0];
  return scheme.toLowerCase() + (name ? `${name}@` : '') + place;
}

/** `owner/name` of an address. */
function nameOf(remote: string): string | undefined {
  const parts = remote.split(/[/:]/).filter((part) => part !== '');
  const last = parts.at(-1)?.replace(/\.git$/, '');
  return parts.length < 2 ? undefined : `${parts.at(-2) ?? ''}/${last ?? ''}`;
}
