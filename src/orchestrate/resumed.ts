import type { Draft } from '../events/event.ts';
import { present } from '../json/present.ts';
import type { LineageReport } from '../outcome/outcome.ts';
import { owners } from '../run/sources/isolated.ts';
import { changesBetween } from '../workspace/changes.ts';
import { listCopies, reclaim } from '../workspace/reclaim.ts';
import type { Branch, Crew } from './crew.ts';
import { factsOf } from './facts.ts';
import { reportOf } from './words.ts';

/** What an orchestration that ended early has left. */
export interface Left {
  /** Why it ended. */
  why: string;
  /** The commit that it started from. */
  base: string | undefined;
  branches: LineageReport['branches'];
}

export interface TakenOver {
  /** What the brain is told. */
  prompt: string;
  /** The branches, for the report. */
  news: readonly Draft[];
}

/**
 * Takes over the branches of an earlier start, with work that a crash left in copies, and says to the brain what there is.
 * Whether they pass is found out again: what counts as proof is what this run has seen.
 */
export async function takeOver(crew: Crew, { why, branches }: Left, task: string): Promise<TakenOver> {
  const news: Draft[] = [];
  const { env, repository, base } = crew.settings;
  const names = new Set(branches.map(({ branch_id }) => branch_id));
  const ids = listCopies(env, owners).flatMap(({ id, branch, state }) =>
    state === 'left' && names.has(branch) ? [id] : [],
  );
  if (ids.length > 0) await reclaim(env, { owners, ids });
  for (const { branch_id: id, parent_branch_id: parentId = base.branchId, status, agent } of branches) {
    const commit = await repository.git.try(['rev-parse', '--verify', '--quiet', `refs/heads/${id}^{commit}`]);
    if (commit === undefined) continue;
    const changes = await changesBetween(repository.git, base.commit, commit);
    const branch: Branch = {
      id,
      parentId,
      base: base.commit,
      commit,
      changes,
      facts: factsOf(changes.changes, crew.settings),
    };
    if (agent !== undefined) branch.agent = agent;
    if (status !== 'success') branch.problem = `its work was not finished: ${status ?? 'it was interrupted'}`;
    crew.adopt(branch);
    news.push({
      type: 'branch.updated',
      branch_id: id,
      parent_branch_id: parentId,
      commit,
      verified: 'not_run',
      files: changes.changes.length,
      ...present({ status: status === 'running' ? 'incomplete' : status, agent }),
    });
  }
  const reports = [...crew.branches.values()].map(reportOf).join('\n');
  const prompt = `An earlier start of this task ended before it was finished: ${why}. No agent is at work any more. ${
    reports === '' ? 'It left no branches.' : `These are its branches, still to be verified:\n${reports}`
  }\nGo on from there, and finish the task: ${task}`;
  return { prompt, news };
}
