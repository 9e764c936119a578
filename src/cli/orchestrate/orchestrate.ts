import type { RunAgent } from '../../builtin/agent.ts';
import { Failure } from '../../failure.ts';
import { brainOf } from '../../orchestrate/brain.ts';
import type { Context } from '../context.ts';
import type { RunValues } from '../run/options.ts';
import { readPrompt } from '../run/prompt.ts';
import type { CrewFlags } from './flags.ts';
import { Lines } from './lines.ts';
import { checkAgents, conduct } from './start.ts';

interface Asked {
  task: string | undefined;
  values: RunValues;
  crewFlags: CrewFlags;
  isInteractive: boolean;
}

export async function conductOrchestration({ task, values, crewFlags, isInteractive }: Asked, context: Context): Promise<number> {
  await checkAgents(crewFlags.agents, context.env);
  const lines = isInteractive ? new Lines(context) : undefined;
  const prompt = lines === undefined ? await readPrompt(task, context) : (task ?? (await lines.next()) ?? '');
  if (prompt.trim() === '')
    throw new Failure('input', 'no task: give one with --task, with -p, or on stdin; see "runwire orchestrate --help"');
  const { code } = await conduct(
    {
      values,
      crewFlags,
      prompt,
      hasBrain: true,
      directorOf(crew) {
        const brain = brainOf(crew);
        const chat: RunAgent = (options, emit) => brain({ ...options, ...(lines && { nextPrompt: () => lines.next() }) }, emit);
        return { loadAgent: () => Promise.resolve(chat) };
      },
    },
    context,
  );
  return code;
}
