import { z } from 'zod';
import { define } from '../../builtin/tools/define.ts';
import type { Tool, ToolResult } from '../../builtin/tools/tool.ts';
import { Failure } from '../../failure.ts';
import { present } from '../../json/present.ts';
import type { Branch, Crew } from '../crew.ts';
import type { Roster } from '../roster.ts';
import type { AgentChoice } from '../settings.ts';
import { isGood, reportOf, stateOf, summaryOf } from '../words.ts';

const parent = z
  .string()
  .min(1)
  .optional()
  .describe('Where to start: a branch_id of an earlier result, or a git branch. Default: the start of this task.');

const background = z
  .boolean()
  .optional()
  .describe('Answer at once with the branch; use branch_output, wait and cancel_agent while the agent works.');

/** Hands one piece of work to one agent. */
export function executeAgent(crew: Crew, roster: Roster): Tool {
  const names = [...new Set(crew.settings.agents.map(({ agent }) => agent))];
  const input = z.strictObject({
    agent: z
      .string()
      .min(1)
      .describe(`One of: ${names.join(', ')}.`),
    prompt: z.string().min(1).describe('Everything the agent must know: it sees nothing of this conversation.'),
    parent_branch_id: parent,
    phase: z.string().min(1).max(40).optional().describe('A word for what this is: implement, review, fix.'),
    model: z.string().min(1).optional().describe('Another model for that agent.'),
    background,
  });
  return define<z.infer<typeof input>>({
    name: 'execute_agent',
    kind: 'subagent',
    description:
      'Give a piece of work to a coding agent. It works in a private copy of the repository; all it leaves is committed on a new branch. Answers the branch, what the agent said, what changed, and whether it passes verification.',
    input,
    need: () => ({ access: 'none', subject: '' }),
    async run({ agent, prompt, parent_branch_id: parentId, phase, model, background: goesOn }, run) {
      const work = { ...choose(crew, agent, model), prompt, ...present({ parentId, phase }) };
      return goesOn === true ? begun([await roster.begin(work)]) : resultOf([await crew.execute(work, run)]);
    },
  });
}

/** Hands work to several agents at once. */
export function parallelExplore(crew: Crew, roster: Roster): Tool {
  const input = z.strictObject({
    prompts: z
      .array(z.string().min(1))
      .min(1)
      .max(50)
      .describe('One piece of work each; one prompt with num_branches: the same several times.'),
    agents: z.array(z.string().min(1)).min(1).optional().describe('Who does them, in turn. Default: all in turn.'),
    parent_branch_id: parent,
    num_branches: z.int().min(1).max(50).optional().describe('How many; default: as many as there are prompts.'),
    background,
  });
  return define<z.infer<typeof input>>({
    name: 'parallel_explore',
    kind: 'subagent',
    description:
      'Give several pieces of work to agents at the same time, all from the same start, each on a branch of its own. One that fails does not stop the others. Answers the results in the order asked.',
    input,
    need: () => ({ access: 'none', subject: '' }),
    async run(
      { prompts, agents, parent_branch_id: parentId, num_branches: count = prompts.length, background: goesOn },
      run,
    ) {
      const choices =
        agents === undefined ? crew.settings.agents : agents.map((agent) => choose(crew, agent, undefined));
      const works = Array.from({ length: count }, (_, index) => {
        const choice = choices[index % choices.length];
        const prompt = prompts[index % prompts.length];
        if (choice === undefined || prompt === undefined)
          throw new Failure('config', 'there is no agent to give it to');
        return { ...choice, prompt, ...present({ parentId }) };
      });
      return goesOn === true
        ? begun(await Promise.all(works.map((work) => roster.begin(work))))
        : resultOf(await Promise.all(works.map((work) => crew.execute(work, run))));
    },
  });
}

export function choose(crew: Crew, agent: string, model: string | undefined): AgentChoice {
  const { agents } = crew.settings;
  const choice = agents.find((each) => each.agent === agent);
  if (choice === undefined)
    throw new Failure('input', `there is no agent "${agent}" here; use ${agents.map((each) => each.agent).join(', ')}`);
  return model === undefined ? choice : { agent, model };
}

/** The branches of agents that are at work from now on. */
function begun(branches: readonly Branch[]): ToolResult {
  const [first] = branches;
  return {
    status: 'success',
    output: branches.map(stateOf).join('\n'),
    summary: `at work: ${branches.map(({ id }) => id).join(', ')}`,
    ...(branches.length === 1 && first !== undefined ? { branch_id: first.id } : {}),
  };
}

function resultOf(branches: readonly Branch[]): ToolResult {
  const [first] = branches;
  return {
    // As long as one agent succeeded, the failures of others are results to read, not a failed tool call.
    status: branches.some(isGood) ? 'success' : 'error',
    output: branches.map(reportOf).join('\n'),
    summary: branches.map(summaryOf).join('; '),
    ...(branches.length === 1 && first !== undefined ? { branch_id: first.id } : {}),
  };
}
