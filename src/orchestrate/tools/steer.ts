import { z } from 'zod';
import { define, failed, success } from '../../builtin/tools/define.ts';
import type { Tool } from '../../builtin/tools/tool.ts';
import { Failure } from '../../failure.ts';
import { present } from '../../json/present.ts';
import type { Branch, Crew } from '../crew.ts';
import type { Roster } from '../roster.ts';
import { reportOf, stateOf, summaryOf } from '../words.ts';
import { choose } from './execute-agent.ts';

/** Waits for agents that work in the background. */
export function wait(crew: Crew, roster: Roster): Tool {
  const input = z.strictObject({
    branch_ids: z.array(z.string().min(1)).min(1).max(50).optional().describe('Default: all that are at work.'),
    until: z.enum(['all', 'any']).optional().describe('Whether all of them must have ended (default), or one.'),
    timeout_seconds: z.int().min(1).max(86_400).optional().describe('Look again after this long at the latest.'),
  });
  return define<z.infer<typeof input>>({
    name: 'wait',
    kind: 'branch_poll',
    description:
      'Wait for agents that were started with background. Answers the results of those that have ended, and the state of the others.',
    input,
    need: () => ({ access: 'none', subject: '' }),
    async run({ branch_ids: ids, until = 'all', timeout_seconds: seconds }, { signal }) {
      const branches = ids === undefined ? roster.unread : ids.map((id) => ours(crew, id));
      if (branches.length === 0) return success('no agent is at work');
      const over = seconds === undefined ? signal : AbortSignal.any([signal, AbortSignal.timeout(seconds * 1000)]);
      await roster.ended(branches, until, over);
      const [first] = branches;
      for (const branch of branches) roster.read(branch);
      return {
        ...success(branches.map((each) => (roster.isAtWork(each) ? stateOf(each) : reportOf(each))).join('\n')),
        summary: branches.map((each) => (roster.isAtWork(each) ? 'running' : summaryOf(each))).join('; '),
        ...(branches.length === 1 && first !== undefined ? { branch_id: first.id } : {}),
      };
    },
  });
}

/** Stops an agent, or gives it something else to do. */
export function cancelAgent(crew: Crew, roster: Roster): Tool {
  const input = z.strictObject({
    branch_id: z.string().min(1).describe('The branch that its agent works on.'),
    prompt: z
      .string()
      .min(1)
      .optional()
      .describe('What to do instead: work goes on at once with what is there, on a new branch.'),
    agent: z.string().min(1).optional().describe('Who goes on; default: the same agent.'),
  });
  return define<z.infer<typeof input>>({
    name: 'cancel_agent',
    kind: 'subagent',
    description:
      'Stop an agent that was started with background; what it has done so far stays on its branch. With a prompt, the work is redirected: an agent goes on from there, in the background.',
    input,
    need: ({ branch_id }) => ({ access: 'none', subject: branch_id }),
    async run({ branch_id: named, prompt, agent }) {
      const branch = ours(crew, named);
      if (!roster.isAtWork(branch))
        return { ...failed(`no agent is at work on ${branch.id}: ${summaryOf(branch)}`), branch_id: branch.id };
      await roster.cancel(branch);
      roster.read(branch);
      if (prompt === undefined)
        return { ...success(reportOf(branch)), branch_id: branch.id, summary: summaryOf(branch) };
      const { agent: before = '', model } = branch;
      const choice = agent === undefined ? { agent: before, model } : choose(crew, agent, undefined);
      // Where nothing was kept, nothing was done: it starts where the first one did.
      const parentId = branch.commit === undefined ? branch.parentId : branch.id;
      const next = await roster.begin({ ...choice, prompt, ...present({ parentId }) });
      return {
        ...success(`${reportOf(branch)}\n${stateOf(next)}`),
        branch_id: next.id,
        summary: `${summaryOf(branch)}; goes on as ${next.id}`,
      };
    },
  });
}

function ours(crew: Crew, id: string): Branch {
  const branch = crew.find(id);
  if (branch === undefined) throw new Failure('input', `${id} is not a branch of this task`);
  return branch;
}
