import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Failure } from '../../failure.ts';
import { readBundle } from '../../fleet/bundles.ts';
import { getJob } from '../../fleet/find-jobs.ts';
import type { Queue } from '../../fleet/queue.ts';
import { ledgerPlace } from '../../stores/open-store.ts';
import { shortRunId } from '../../ids/run-id.ts';
import { oneLine } from '../../terminal/plain.ts';
import type { Repository } from '../../workspace/repository.ts';
import type { Context } from '../context.ts';
import { useQueue } from './queue.ts';

/** Turns the changes of a run on a worker into a branch of this repository; returns its name. */
export async function bringBranch(queue: Queue, run: string, { git }: Repository): Promise<string> {
  const job = await getJob(queue, run);
  if (job !== undefined && job.state !== 'ended')
    throw new Failure('input', `the run ${shortRunId(run)} has not ended: it is ${job.state}`);
  const bundle = await readBundle(queue, run, 'result');
  if (bundle === undefined || job?.branch === undefined)
    throw new Failure('input', `the run ${shortRunId(run)} left no changes to fetch`);
  const folder = mkdtempSync(join(tmpdir(), 'runwire-fetch-'));
  try {
    writeFileSync(join(folder, 'bundle'), bundle, { mode: 0o600 });
    const ref = `refs/heads/${job.branch}`;
    if ((await git.try(['check-ref-format', ref])) === undefined)
      throw new Failure('input', `the run ${shortRunId(run)} has an invalid branch name: ${oneLine(job.branch, 80)}`);
    const [commit = ''] = (await git.text(['bundle', 'list-heads', join(folder, 'bundle'), ref])).split(' ');
    const own = (await git.try(['rev-parse', '-q', '--verify', ref])) ?? '';
    if (own !== '' && own !== commit)
      throw new Failure('input', `a different branch ${job.branch} already exists here; rename it, and fetch again`);
    await git.text([
      'fetch',
      '-q',
      '--no-tags',
      '--no-write-fetch-head',
      '--',
      join(folder, 'bundle'),
      `${ref}:${ref}`,
    ]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return job.branch;
}

/** The same, if the run was queued and its commit is not here yet. */
export async function bringIfQueued(
  { run, commit, ledger }: { run: string; commit: string | undefined; ledger: string | undefined },
  repository: Repository,
  context: Context,
): Promise<void> {
  if (commit === undefined || ledgerPlace(ledger, context.env, context.cwd).kind !== 'postgres') return;
  if ((await repository.git.try(['cat-file', '-e', `${commit}^{commit}`])) !== undefined) return;
  await useQueue(ledger, context, async (queue) => {
    if ((await getJob(queue, run)) !== undefined) await bringBranch(queue, run, repository);
  });
}
