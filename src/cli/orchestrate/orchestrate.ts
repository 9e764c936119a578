import { Failure } from '../../failure.ts';
import { brainOf } from '../../orchestrate/brain.ts';
import { Crew } from '../../orchestrate/crew.ts';
import type { Context } from '../context.ts';
import type { RunValues } from '../run/options.ts';
import { promptOrStdin } from '../run/prompt.ts';
import type { CrewFlags } from './flags.ts';
import { Lines } from './lines.ts';
import { checkAgents, conduct } from './start.ts';

interface OrchestrationRequest {
  task: string | undefined;
  values: RunValues;
  crewFlags: CrewFlags;
  isInteractive: boolean;
}

export async function conductOrchestration(
  { task, values, crewFlags, isInteractive }: OrchestrationRequest,
  context: Context,
): Promise<number> {
  await checkAgents(crewFlags.agents, context.env);
  const lines = isInteractive ? new Lines(context) : undefined;
  const prompt = (lines === undefined ? await promptOrStdin(task, context) : (task ?? (await lines.next()))) ?? '';
  if (prompt.trim() === '')
    throw new Failure('input', 'no task: give one with --task, with -p, or on stdin; see "runwire orchestrate --help"');
  const { code } = await conduct(
    {
      values,
      crewFlags,
      prompt,
      hasBrain: true,
      directorOf: (settings, _limits, people) => ({
        async loadAgent(run) {
          const brain = brainOf(new Crew(settings, run));
          if (lines === undefined) return brain;
          return (options, emit) => {
            const ask = (): Promise<string | undefined> => Promise.race([lines.next(), aborted(options.signal)]);
            return brain({ ...options, nextPrompt: () => people.around(ask) }, emit);
          };
        },
      }),
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
