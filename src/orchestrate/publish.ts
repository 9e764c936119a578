import { childEnvironment } from '../agents/environment.ts';
import type { EventOf } from '../events/event.ts';
import { Failure, messageOf } from '../failure.ts';
import { present } from '../json/present.ts';
import { trustedProgram } from '../processes/trusted.ts';
import { withoutUser } from '../redact/without-user.ts';
import { commitTree } from '../workspace/base.ts';
import { answerOf } from '../workspace/git.ts';
import { changesOf, pushGround } from '../workspace/push-ground.ts';
import { pushBranch } from '../workspace/push.ts';
import { commitOf, type Repository } from '../workspace/repository.ts';
import { quoted } from '../redact/quoted.ts';
import type { Branch, Crew } from './crew.ts';
import { mergedTree } from './merge.ts';
import type { Settings } from './settings.ts';
import { doesNotPass, isVerified } from './words.ts';

export type Published = Omit<EventOf<'branch.published'>, 'type'>;

/** Pushes a branch; only Runwire does this, never an agent. Never with force, and never to the branch that the work started from. */
export async function publish(
  crew: Crew,
  branch: Branch,
  { message, signal }: { message?: string | undefined; signal: AbortSignal },
): Promise<Published> {
  const { repository, publish: how, dryRun, verify, remote = 'origin' } = crew.settings;
  const { git } = repository;
  const refuse = (text: string): Published => ({ branch_id: branch.id, status: 'error', message: text });
  if (how === 'none') return refuse('nothing may be published; --publish branch or --publish pr allows it');
  const { commit, id } = branch;
  if (commit === undefined) return refuse('it has no commit');
  if (commit === crew.settings.base.commit) return refuse(`${id} changes nothing; nothing is pushed`);
  if (verify !== undefined && !isVerified(branch)) return refuse(`${doesNotPass(branch, verify)}; nothing is pushed`);
  const misfit = await misfitOf(crew, commit, signal).catch(
    (error: unknown) => `it could not be merged and verified: ${messageOf(error)}`,
  );
  if (misfit !== undefined) return refuse(misfit);
  // An address may contain a password.
  const to = withoutUser(remote);
  const published = { branch_id: id, remote: to, ref: `refs/heads/${id}`, commit };
  if (dryRun)
    return {
      ...published,
      status: 'success',
      dry_run: true,
      message: `would push ${commit.slice(0, 10)} to ${to} as ${id}`,
    };
  const changed = changesOf(crew.settings.pushGround ?? new Map(), await pushGround(git));
  if (changed.length > 0)
    return {
      ...published,
      status: 'error',
      message: `nothing is pushed: what git does at a push was changed while the agents worked (${changed.slice(0, 5).join(', ')}); look at it, then push ${id} yourself`,
    };
  const refused = await pushBranch(git, { remote, commit, branch: id, env: crew.settings.env, signal });
  if (refused !== undefined) return { ...published, status: 'error', message: refused };
  return how === 'pr'
    ? openRequest(crew, { ...published, status: 'success' }, message, signal)
    : { ...published, status: 'success', message: `pushed to ${to} as ${id}` };
}

/** Where finished work would go, and whether it can: checked before any model call is paid for. */
export async function publishingTo(
  { git, root }: Repository,
  { publish: how, remote, dryRun, env }: Pick<Settings, 'publish' | 'remote' | 'dryRun' | 'env'>,
): Promise<string | undefined> {
  if (how === 'none') {
    if (dryRun)
      throw new Failure('input', '--dry-run says what would be published: give --publish branch or --publish pr too');
    return remote;
  }
  if (how === 'pr' && !dryRun && trustedProgram('gh', env, [root]) === undefined)
    throw new Failure(
      'config',
      '--publish pr opens a pull request with gh, which is not installed; see https://cli.github.com',
    );
  const names = ((await git.try(['remote'])) ?? '').split('\n').filter((name) => name !== '');
  const there = names.length === 0 ? 'there is none; add one with "git remote add"' : `there are ${names.join(', ')}`;
  if (remote === undefined) {
    const only = names.length === 1 ? names[0] : undefined;
    if (only !== undefined || names.includes('origin')) return only ?? 'origin';
    throw new Failure(
      'input',
      `--publish ${how} needs a remote, and ${there}${names.length === 0 ? '' : '; choose one with --remote'}`,
    );
  }
  // An address is as good as a name.
  if (!names.includes(remote) && !/[/:]/.test(remote))
    throw new Failure('input', `--remote ${remote}: no such remote; ${there}`);
  return remote;
}

/** Why the work no longer merges with the branch that it started from, if that has moved; checked without touching a file. */
async function misfitOf(
  { settings, verifier }: Crew,
  commit: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { repository, base, verify } = settings;
  const commitAt = (name: string): Promise<string | undefined> => commitOf(repository, name).catch(() => undefined);
  const now = (await commitAt(`refs/heads/${base.branchId}`)) ?? (await commitAt(base.branchId));
  const isOld =
    now === undefined || (await repository.git.ask(['merge-base', '--is-ancestor', now, commit])).code === 0;
  if (isOld) return undefined;
  const merged = await mergedTree(repository, now, commit).catch(() => undefined);
  if (merged === undefined) return undefined;
  if ('conflicts' in merged)
    return `${base.branchId} has moved since, and the work conflicts with it in ${merged.conflicts.slice(0, 20).join(', ')}`;
  if (verify === undefined) return undefined;
  const together = await commitTree(repository.git, merged.tree, [now, commit], `Merge into ${base.branchId}`);
  const { result } = await verifier.verify(together, verify, signal);
  return isVerified({ verification: { result } })
    ? undefined
    : `${base.branchId} has moved since, and merged with it the work does not pass: ${result}`;
}

/** The branch that the work started from, by its name on the remote. */
async function branchOn({ settings: { repository, base } }: Crew, remote: string): Promise<string | undefined> {
  const full =
    (await repository.git.try(['rev-parse', '--symbolic-full-name', '--end-of-options', base.branchId])) ?? '';
  const name = full.split('\n').at(-1) ?? '';
  const prefix = ['refs/heads/', `refs/remotes/${remote}/`].find((each) => name.startsWith(each));
  return prefix === undefined ? undefined : name.slice(prefix.length);
}

async function openRequest(
  crew: Crew,
  pushed: Published,
  message: string | undefined,
  signal: AbortSignal,
): Promise<Published> {
  const { settings } = crew;
  const path = trustedProgram('gh', settings.env, [settings.repository.root]);
  const [title = '', ...body] = settings.clean(message?.trim() || `Runwire: ${pushed.branch_id}`).split('\n');
  if (path === undefined)
    return {
      ...pushed,
      status: 'error',
      message: 'the branch is pushed, but gh is not installed: no pull request was opened',
    };
  const into = await branchOn(crew, pushed.remote ?? '');
  const args = [
    'pr',
    'create',
    '--head',
    pushed.branch_id,
    // A pull request cannot target a tag or a commit: gh then uses the default branch.
    ...(into === undefined ? [] : ['--base', into]),
    '--title',
    title.slice(0, 200),
    '--body',
    body.join('\n').trim(),
  ];
  const env = childEnvironment(settings.env, {
    pass: ['GH_*', 'GITHUB_*'],
    set: { GH_PROMPT_DISABLED: '1', NO_COLOR: '1' },
  });
  try {
    const { code, stdout, stderr } = await answerOf(
      { command: path, args, cwd: settings.repository.root, env },
      { signal },
    );
    if (code !== 0)
      return { ...pushed, status: 'error', message: `the branch is pushed, but gh says: ${quoted(stderr, 400, env)}` };
    const url = /https?:\/\/\S+/.exec(stdout.toString())?.[0];
    return { ...pushed, ...present({ url }), message: `pull request ${url ?? 'opened'}` };
  } catch (error) {
    return { ...pushed, status: 'error', message: `the branch is pushed, but ${messageOf(error)}` };
  }
}
