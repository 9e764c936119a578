import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { Failure } from '../failure.ts';
import type { Branch } from '../outcome/outcome.ts';
import { shortRunId } from '../ids/run-id.ts';
import type { RunRecord } from '../stores/run-store.ts';
import { openRepository, type Repository } from '../workspace/repository.ts';
import type { Options } from './command.ts';
import type { Context } from './context.ts';

/** Flags of the commands that work on the branches that a run kept. */
export const keptOptions = {
  cwd: { type: 'string', short: 'C', value: 'DIR', help: 'The checkout, if it is not where the run was started' },
  branch: { type: 'string', value: 'NAME', help: 'Which branch, if the run has several' },
} as const satisfies Options;

/** The branches that a run made in private copies. */
export function branchesOf({ outcome, id }: RunRecord): Branch[] {
  const { start_branch_id: start, branches = [] } = outcome?.lineage ?? {};
  const made = branches.filter(({ branch_id }) => branch_id !== start);
  if (made.length === 0)
    throw new Failure('input', `the run ${shortRunId(id)} did not work in a private copy: it has no branch of its own`);
  return made;
}

/** Of several branches, that of the winner of a race. */
export const winnerOf = (branches: readonly Branch[]): Branch | undefined =>
  branches.length > 1 ? branches.find(({ winner }) => winner === true) : undefined;

/** The repository of which the run had a private copy. */
export async function repositoryOf(
  { cwd, host }: RunRecord,
  wanted: string | undefined,
  { env, cwd: here }: Context,
): Promise<Repository> {
  const folder = wanted === undefined ? cwd : resolve(here, wanted);
  if (folder === undefined || !existsSync(folder))
    throw new Failure(
      'input',
      `${folder ?? 'the folder of the run'} is not on this machine (it ran on ${host ?? 'another one'}); name the checkout with --cwd`,
    );
  return openRepository(folder, env);
}
