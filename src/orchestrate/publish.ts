import { searchPath } from '../agents/installed.ts';
import type { EventOf } from '../events/event.ts';
import { messageOf } from '../failure.ts';
import { present } from '../present.ts';
import { answerOf, wordsOf } from '../workspace/git.ts';
import type { Branch, Crew } from './crew.ts';
import { mergedTree } from './merge.ts';

export type Published = Omit<EventOf<'branch.published'>, 'type'>;

/** What git needs to reach a remote as the user; it never asks. */
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

/** Pushes a branch, by our own hand alone: never with force, and never to the branch that the work began from. */
export async function publish(
  crew: Crew,
  branch: Branch,
  { message, signal }: { message?: string | undefined; signal: AbortSignal },
): Promise<Published> {
  const { repository, publish: how, dryRun, base } = crew.settings;
  const { git } = repository;
  const refuse = (text: string): Published => ({ branch_id: branch.id, status: 'error', message: text });
  if (how === 'none') return refuse('nothing may be published; --publish branch or --publish pr allows it');
  const { commit, id } = branch;
  if (commit === undefined) return refuse('it has no commit');
  if (id === base.branchId) return refuse('the branch that the work began from is never published to');
  const remote = await remoteOf(crew);
  if (remote === undefined) return refuse('there is no remote; add one with "git remote add", or name it with --remote');
  const conflict = await conflictOf(crew, commit);
  if (conflict !== undefined) return refuse(conflict);
  const told = { branch_id: id, remote, ref: `refs/heads/${id}`, commit };
  if (dryRun) return { ...told, status: 'success', dry_run: true, message: `would push ${commit.slice(0, 10)} to ${remote} as ${id}` };
  const env = { GIT_SSH_COMMAND: sshThatNeverAsks, ...Object.fromEntries(credentials.map((name) => [name, crew.settings.env[name]])) };
  if (env.GIT_SSH_COMMAND === undefined) env.GIT_SSH_COMMAND = sshThatNeverAsks;
  const args = ['push', '--porcelain', '--no-follow-tags', '--recurse-submodules=no', '--', remote, `${commit}:refs/heads/${id}`];
  try {
    const { code, stdout, stderr } = await git.ask(args, { env, signal, hooks: true });
    if (code !== 0)
      return { ...told, status: 'error', message: `the push was refused: ${rejection(stdout.toString()) ?? wordsOf(stderr)}` };
  } catch (error) {
    return { ...told, status: 'error', message: `the push failed: ${messageOf(error)}` };
  }
  return how === 'pr'
    ? openRequest(crew, { ...told, status: 'success' }, message, signal)
    : { ...told, status: 'success', message: `pushed to ${remote} as ${id}` };
}

async function remoteOf({ settings }: Crew): Promise<string | undefined> {
  if (settings.remote !== undefined) return settings.remote;
  const names = ((await settings.repository.git.try(['remote'])) ?? '').split('\n').filter((name) => name !== '');
  return names.includes('origin') || names.length > 1 ? 'origin' : names[0];
}

/** The branch that the work began from may have moved meanwhile: whether it still fits is known without touching a file. */
async function conflictOf({ settings }: Crew, commit: string): Promise<string | undefined> {
  const { repository, base } = settings;
  const now = await repository.git.try(['rev-parse', '-q', '--verify', '--end-of-options', `refs/heads/${base.branchId}^{commit}`]);
  if (now === undefined || now === base.commit) return undefined;
  const merged = await mergedTree(repository, now, commit).catch(() => undefined);
  if (merged === undefined || !('conflicts' in merged)) return undefined;
  return `${base.branchId} has moved since, and the work conflicts with it in ${merged.conflicts.slice(0, 20).join(', ')}`;
}

/** `!	refs/…	[rejected] (non-fast-forward)` */
function rejection(porcelain: string): string | undefined {
  const line = porcelain.split('\n').find((each) => each.startsWith('!'));
  return line?.split('\t').slice(1).join(' ').trim();
}

async function openRequest(crew: Crew, pushed: Published, message: string | undefined, signal: AbortSignal): Promise<Published> {
  const { settings } = crew;
  const { path } = await searchPath('gh', settings.env);
  const [title = '', ...body] = (message ?? `Runwire: ${pushed.branch_id}`).split('\n');
  if (path === undefined)
    return { ...pushed, status: 'error', message: 'the branch is pushed, but gh is not installed: no pull request was opened' };
  const args = [
    'pr',
    'create',
    '--head',
    pushed.branch_id,
    '--base',
    settings.base.branchId,
    '--title',
    title.slice(0, 200),
    '--body',
    body.join('\n').trim(),
  ];
  const env = { ...settings.env, GH_PROMPT_DISABLED: '1', NO_COLOR: '1' };
  try {
    const { code, stdout, stderr } = await answerOf({ command: path, args, cwd: settings.repository.root, env }, { signal });
    if (code !== 0) return { ...pushed, status: 'error', message: `the branch is pushed, but gh says: ${stderr.trim().slice(0, 400)}` };
    const url = /https?:\/\/\S+/.exec(stdout.toString())?.[0];
    return { ...pushed, ...present({ url }), message: `pull request ${url ?? 'opened'}` };
  } catch (error) {
    return { ...pushed, status: 'error', message: `the branch is pushed, but ${messageOf(error)}` };
  }
}
