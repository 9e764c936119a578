import type { EventOf } from '../../events/event.ts';
import { Failure } from '../../failure.ts';
import { BuiltInSource } from '../../runner/built-in.ts';
import type { Source } from '../../runner/perform.ts';
import type { Limits } from '../../runner/watch.ts';
import type { Redactor } from '../../redact/redactor.ts';
import type { Context } from '../context.ts';
import type { Execution } from './execute.ts';
import { builtIn } from './flags.ts';
import type { Place } from './git.ts';
import { agentOptions } from './settings.ts';

interface Surroundings extends Place {
  redact: Redactor | undefined;
  complain(message: string): void;
}

interface Chosen {
  source: Source;
  agent: Pick<EventOf<'thread.started'>, 'agent' | 'agent_version'>;
  /** What is left for us to watch. */
  limits: Limits;
}

/** Who makes the events: the built-in agent, another agent's program, or a command of the user's. */
export async function chooseSource(execution: Execution, around: Surroundings, context: Context): Promise<Chosen> {
  const { flags, prompt, command, inputs } = execution;
  const { limits } = flags;
  if (command === undefined && flags.agent === builtIn) {
    const options = (signal: AbortSignal) =>
      agentOptions(flags, { ...inputs, ...around, prompt, signal, redact: around.redact?.text.bind(around.redact) }, context);
    // It keeps these two by itself, before the call that would break them.
    return {
      source: new BuiltInSource(options, execution.loadAgent),
      agent: {},
      limits: { ...limits, maxTurns: undefined, maxCostUsd: undefined },
    };
  }
  refuseBuiltInFlags(execution);
  const asked = { env: context.env, extra: flags.env, cwd: inputs.cwd, prompt, dialect: flags.from };
  if (command !== undefined) {
    const { commandSource } = await import('../../runner/command-source.ts');
    return { ...(await commandSource({ ...asked, command })), limits };
  }
  const { agentSource } = await import('../../runner/agent-source.ts');
  const { source, agent, warnings } = await agentSource(flags.agent, {
    ...asked,
    model: flags.model,
    permissionMode: flags.permissionMode,
    resume: flags.resume,
    maxTurns: limits.maxTurns,
    maxCostUsd: limits.maxCostUsd,
    system: flags.system,
    appendSystem: flags.appendSystem,
    directories: flags.directories,
    baseUrl: flags.baseUrl,
    extraArgs: flags.agentArgs,
  });
  warnings.forEach(around.complain);
  return { source, agent, limits };
}

/** What only the built-in agent obeys must not be ignored by another: a rule that is not kept is worse than none. */
function refuseBuiltInFlags({ flags, command }: Execution): void {
  const ignored: string[] = [];
  if (flags.allow.length > 0) ignored.push('--allow');
  if (flags.deny.length > 0) ignored.push('--deny');
  if (flags.outputSchema !== undefined) ignored.push('--output-schema');
  if (flags.recordModel !== undefined) ignored.push('--record-model');
  if (command !== undefined) {
    if (flags.agent !== builtIn) ignored.push('--agent');
    if (flags.permissionMode !== undefined) ignored.push('--permission-mode');
    if (flags.resume !== undefined) ignored.push('--resume');
    if (flags.agentArgs.length > 0) ignored.push('--agent-arg');
  }
  if (ignored.length > 0)
    throw new Failure(
      'input',
      `${ignored.join(', ')}: ${command === undefined ? 'only the built-in agent knows this' : 'not with a COMMAND after --'}`,
    );
}
