import { agentOf } from '../agents/acp-command.ts';
import { type Requested, withDefaults } from '../contract/requested.ts';
import type { RunSpec } from '../contract/spec.ts';

/** Where the call comes from. Apart from `cwd`, a spec keeps only the names of the caller's variables. */
interface Caller {
  cwd: string;
  passEnv: readonly string[];
  parent?: RunSpec['parent'];
}

export function specOf(request: Requested, { cwd, passEnv, parent }: Caller): RunSpec {
  const { agent, command } = agentOf(request);
  // A copy starts from the branch that the run says it belongs to.
  const workspace =
    request.workspace?.isolate === undefined ? undefined : { ...request.workspace, from: request.parent_branch_id };
  return withDefaults({ ...request, agent, command, cwd, pass_env: [...passEnv], parent, workspace });
}
