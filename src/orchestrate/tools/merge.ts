import { z } from 'zod';
import { define, failed } from '../../builtin/tools/define.ts';
import type { Tool } from '../../builtin/tools/tool.ts';
import { messageOf } from '../../failure.ts';
import { changesBetween } from '../../workspace/changes.ts';
import type { Branch, Crew } from '../crew.ts';
import { factsOf } from '../facts.ts';
import { mergeAll } from '../merge.ts';
import { reportOf, summaryOf } from '../words.ts';

/** Merges the work of several agents. */
export function mergeBranches(crew: Crew): Tool {
  const input = z.strictObject({
    branch_ids: z.array(z.string().min(1)).min(2).max(50).describe('In the order they are merged.'),
    message: z.string().min(1).optional().describe('The message of the merge commits.'),
  });
  return define<z.infer<typeof input>>({
    name: 'merge_branches',
    kind: 'tool_call',
    description:
      'Merge branches into a new one, and verify the result: branches that pass alone may fail together. Conflicts are named; nothing is merged then.',
    input,
    need: () => ({ access: 'none', subject: '' }),
    async run({ branch_ids, message }, run) {
      const { repository, base, verify } = crew.settings;
      const parts = await Promise.all(
        branch_ids.map(async (id) => ({ id: crew.find(id)?.id ?? id, commit: await crew.commitOf(id) })),
      );
      try {
        const commit = await mergeAll(repository, parts, message ?? `Merge ${branch_ids.join(', ')}`);
        const id = await crew.newBranchName(message ?? 'merge');
        await repository.git.text(['update-ref', '-m', 'runwire: merge', `refs/heads/${id}`, commit, '']);
        const changes = await changesBetween(repository.git, base.commit, commit);
        const branch: Branch = {
          id,
          parentId: parts[0]?.id ?? '',
          mergedIds: parts.slice(1).map((part) => part.id),
          base: base.commit,
          commit,
          changes,
          facts: factsOf(changes.changes, crew.settings),
        };
        crew.branches.set(id, branch);
        await crew.verify(branch, verify, run).catch((error: unknown) => void (branch.problem = messageOf(error)));
        crew.tell(branch, run);
        return { status: 'success', output: reportOf(branch), branch_id: id, summary: summaryOf(branch) };
      } catch (error) {
        return failed(messageOf(error));
      }
    },
  });
}
