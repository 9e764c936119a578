import type { RunAgent } from '../../builtin/agent.ts';
import { Failure } from '../../failure.ts';
import { brainOf } from '../../orchestrate/brain.ts';
import type { Context } from '../context.ts';
import type { Narration } from '../../run/sinks/narration/narration.ts';
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
  // With a task there is nothing to read: whoever started us may keep stdin open for ever.
  const prompt = task ?? (lines === undefined ? await readPrompt(undefined, context) : await lines.next()) ?? '';
  if (prompt.trim() === '')
    throw new Failure('input', 'no task: give one with --task, with -p, or on stdin; see "runwire orchestrate --help"');
  let people: Pick<Narration, 'around'> | undefined;
  const { code } = await conduct(
    {
      values,
      crewFlags,
      prompt,
      hasBrain: true,
      directorOf(crew) {
        const brain = brainOf(crew);
        if (lines === undefined) return { loadAgent: () => Promise.resolve(brain) };
        const chat: RunAgent = (options, emit) => {
          const ask = (): Promise<string | undefined> => Promise.race([lines.next(), aborted(options.signal)]);
          return brain({ ...options, nextPrompt: () => people?.around(ask) ?? ask() }, emit);
        };
        return { loadAgent: () => Promise.resolve(chat) };
      },
      onPeople: (told) => void (people = told),
    },
    context,
  );
  return code;
}

/** Nobody waits for a line once the run is to stop. */
function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
}
