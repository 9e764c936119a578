import { childEnvironment } from '../agents/environment.ts';
import { newId } from '../ids/new-id.ts';
import { owners } from '../run/sources/isolated.ts';
import type { Environment, IsolationKind } from '../words/vocabulary.ts';
import { Workspace } from '../workspace/workspace.ts';

/** What a command has in a fresh copy: where it is made, how it is prepared, and with which variables. */
export interface FreshCopyAsk {
  /** A folder of the checkout. */
  cwd: string;
  env: Environment;
  /** Names of more variables to pass on, and values to set. */
  pass: readonly string[];
  variables: Readonly<Record<string, string>>;
  isolate: 'auto' | IsolationKind;
  setup: string | undefined;
  copy: readonly string[];
}

/** Does something in a copy of a commit that no agent has worked in, with only the declared variables; the copy is removed afterwards. */
export async function inFreshCopy<Result>(
  commit: string,
  { cwd, env, pass, variables, isolate, setup, copy }: FreshCopyAsk,
  signal: AbortSignal,
  work: (workspace: Workspace, declared: Record<string, string>) => Promise<Result>,
): Promise<Result> {
  const declared = childEnvironment(env, { pass, set: { CI: 'true', ...variables } });
  const workspace = await Workspace.plan(
    // A worktree would leave its branch in the user's repository.
    {
      isolate: isolate === 'worktree' ? 'clone' : isolate,
      from: commit,
      dirty: 'ignore',
      branch: `runwire/verify/${newId()}`,
      copied: copy,
      setup,
      setupEnv: declared,
      isDisposable: true,
    },
    { cwd, env, owners },
  );
  try {
    await workspace.create(signal);
    return await work(workspace, declared);
  } finally {
    await workspace.remove();
  }
}
