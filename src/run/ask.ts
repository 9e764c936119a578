import { agentOf } from '../agents/acp-command.ts';
import { type Requested, withDefaults } from '../contract/requested.ts';
import type { RunSpec } from '../contract/spec.ts';

/** Where the call comes from. Apart from `cwd`, a spec keeps only the names of the caller's variables. */
interface Place {
  cwd: string;
  passEnv: readonly string[];
  parent?: RunSpec['parent'];
}

export function specOf(asked: Requested, { cwd, passEnv, parent }: Place): RunSpec {
  const { agent, command } = agentOf(asked);
  // A copy starts from the branch that the run says it belongs to.
  const workspace = asked.workspace?.isolate === undefined ? undefined : { ...asked.workspace, from: asked.parent_branch_id };
  return withDefaults({ ...asked, agent, command, cwd, pass_env: [...passEnv], parent, workspace });
}
