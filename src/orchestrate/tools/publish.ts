import { z } from 'zod';
import { define, failed } from '../../builtin/tools/define.ts';
import type { Tool, ToolResult, ToolRun } from '../../builtin/tools/tool.ts';
import type { Branch, Crew } from '../crew.ts';
import { publish } from '../publish.ts';

/** The only way to publish: the orchestrator's own push. */
export function publishTool(crew: Crew): Tool {
  const input = z.strictObject({
    branch_id: z.string().min(1).describe('A branch_id of an earlier result.'),
    message: z.string().min(1).optional().describe('The title, and after an empty line the text, of a pull request.'),
  });
  return define<z.infer<typeof input>>({
    name: 'publish',
    kind: 'publish',
    description: 'Push a branch to the remote. Do it once, with the branch that holds the finished, verified work.',
    input,
    need: () => ({ access: 'none', subject: '' }),
    async run({ branch_id, message }, run) {
      const branch = crew.find(branch_id);
      // Other branches in the repository are not ours to publish.
      if (branch === undefined) return failed(`${branch_id} is not a branch of this task; only those are published`);
      return publishBranch(crew, branch, message, run);
    },
  });
}

export async function publishBranch(
  crew: Crew,
  branch: Branch,
  message: string | undefined,
  run: Pick<ToolRun, 'emit' | 'signal' | 'itemId'>,
): Promise<ToolResult> {
  const published = await publish(crew, branch, { message, signal: run.signal });
  run.emit({ type: 'branch.published', ...published });
  const text = published.message ?? published.status;
  return { status: published.status, output: text, summary: text, branch_id: branch.id };
}
