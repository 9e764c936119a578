import type { RunAgent } from '../../builtin/agent.ts';
import type { EventOf } from '../../events/event.ts';
import { Failure } from '../../failure.ts';
import type { Redactor } from '../../redact/redactor.ts';
import { BuiltInSource } from './builtin.ts';
import type { Place } from '../git.ts';
import type { Source } from '../perform.ts';
import { builtIn, type RunRequest } from '../spec.ts';
import type { Limits } from '../watch.ts';

interface Surroundings {
  redact: Redactor | undefined;
  complain(message: string): void;
  loadAgent?: (() => Promise<RunAgent>) | undefined;
}

interface Chosen {
  source: Source;
  /** What is known of it before it speaks. */
  agent: Partial<Omit<EventOf<'thread.started'>, 'type'>>;
  /** What is left for us to watch. */
  limits: Limits;
}

/** Who makes the events: the built-in agent, another agent's program, or a command of the caller's. Each is loaded when it is chosen. */
export async function chooseSource(request: RunRequest & Place, { redact, complain, loadAgent }: Surroundings): Promise<Chosen> {
  const { agent: name, command, limits } = request;
  refuseWhatIsIgnored(request);
  if (command === undefined && name === builtIn) {
    const options = async (signal: AbortSignal) => {
      const { agentOptions } = await import('./builtin-options.ts');
      return agentOptions(request, signal, redact?.text.bind(redact));
    };
    // It keeps these two by itself, before the call that would break them.
    return { source: new BuiltInSource(options, loadAgent), agent: {}, limits: { ...limits, maxTurns: undefined, maxCostUsd: undefined } };
  }
  if (command !== undefined) {
    const { commandSource } = await import('./command.ts');
    return { ...commandSource(command, request), limits };
  }
  const { agentSource } = await import('./agent.ts');
  const { source, agent, warnings } = await agentSource(name, request);
  warnings.forEach(complain);
  return { source, agent, limits };
}

/** A rule that is not kept is worse than none. */
function refuseWhatIsIgnored({ agent, command, ...request }: RunRequest): void {
  const isBuiltIn = command === undefined && agent === builtIn;
  const ignored: string[] = [];
  if (isBuiltIn) {
    if (request.dialect !== undefined) ignored.push('--from');
    if (request.agentArgs.length > 0) ignored.push('--agent-arg');
  } else {
    if (request.allow.length > 0) ignored.push('--allow');
    if (request.deny.length > 0) ignored.push('--deny');
    if (request.outputSchema !== undefined) ignored.push('--output-schema');
    if (request.recordModel !== undefined) ignored.push('--record-model');
  }
  if (command !== undefined) {
    if (agent !== builtIn) ignored.push('--agent');
    if (request.permissionMode !== undefined) ignored.push('--permission-mode');
    if (request.resume !== undefined) ignored.push('--resume');
    if (request.agentArgs.length > 0) ignored.push('--agent-arg');
  }
  if (ignored.length === 0) return;
  const why = isBuiltIn
    ? 'not for the built-in agent'
    : command === undefined
      ? 'only the built-in agent knows this'
      : 'not with a COMMAND after --';
  throw new Failure('input', `${ignored.join(', ')}: ${why}`);
}
