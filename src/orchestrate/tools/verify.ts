import { z } from 'zod';
import { define, failed } from '../../builtin/tools/define.ts';
import type { Tool } from '../../builtin/tools/tool.ts';
import { present } from '../../json/present.ts';
import type { Branch, Crew } from '../crew.ts';
import { isVerified, reportOf, summaryOf } from '../words.ts';

/** Runs a command on a branch, in a fresh copy of its commit. */
export function verify(crew: Crew): Tool {
  const { verify: usual } = crew.settings;
  const input = z.strictObject({
    branch_id: z.string().min(1).describe('A branch_id of an earlier result, or a git branch.'),
    command: z
      .string()
      .min(1)
      .optional()
      .describe(usual === undefined ? 'A shell command.' : `A shell command; default: ${usual}`),
  });
  return define<z.infer<typeof input>>({
    name: 'verify',
    kind: 'command',
    description:
      'Run a command on a branch in a fresh copy of its commit, where no agent has worked. It is run on the start of the task first: what failed there is not the fault of the branch. A failure is tried once more; if it then passes, it is flaky.',
    input,
    need: () => ({ access: 'none', subject: '' }),
    async run({ branch_id: named, command = usual }, run) {
      if (command === undefined) return failed('no command: give one');
      const known = crew.find(named);
      const branch_id = known?.id ?? named;
      const { base } = crew.settings;
      const branch: Branch = known ?? {
        id: branch_id,
        parentId: base.branchId,
        base: base.commit,
        commit: await crew.commitOf(branch_id),
      };
      const verification = await crew.verify(branch, command, run);
      if (known !== undefined) crew.tell(known, run);
      if (verification === undefined) return { ...failed(branch.problem ?? 'it could not be verified'), branch_id };
      const verified = { ...branch, verification };
      return {
        status: isVerified(verified) ? 'success' : 'error',
        output: reportOf(verified),
        branch_id,
        summary: summaryOf(verified),
        ...present({ exit_code: verification.exit_code ?? undefined }),
      };
    },
  });
}
