import { agentOf } from '../../agents/acp-command.ts';
import type { RunAgent } from '../../builtin/agent.ts';
import type { AskPerson } from '../../builtin/permissions/question.ts';
import { watchedLimits } from '../../contract/requested.ts';
import { Failure } from '../../failure.ts';
import type { Redactor } from '../../redact/redactor.ts';
import type { Run } from '../handle.ts';
import { acpAgent, builtIn, type Environment } from '../../words/vocabulary.ts';
import type { Project } from '../git.ts';
import type { Limits, RunSpec } from '../../contract/spec.ts';
import type { RunBorder } from './bordered.ts';
import { BuiltInSource } from './builtin.ts';
import type { Wire } from './directed.ts';
import type { Script } from './script.ts';
import type { Introduction, Source } from './source.ts';
import type { SharedCopy } from './isolated.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import type { WireRecording } from './wire-recording.ts';

/** The values behind the variable names in a spec. */
export interface Variables {
  env: Environment;
  /** Given for the agent's process only; they override variables that are passed on. */
  set: Readonly<Record<string, string>>;
  /** The private copy that its process runs in. */
  workspace?: Workspace | undefined;
  /** Where its network ends; unset: nowhere. */
  border?: RunBorder | undefined;
  /** Where its requests to models are to pass; unset: they go where they go. */
  wire?: Wire | undefined;
  /** The agent's program; unset: the first one in PATH. */
  program?: string | undefined;
}

/** What answers in place of the providers of models. */
export interface StandIn {
  address: string;
  /** Called before the first request: the top of the copy that the agent works in, or its folder. */
  worksIn(folder: string): void;
}

export interface Chosen {
  source: Source;
  introduction: Introduction;
  /** What is left for us to watch. */
  limits: Limits;
  /** For people: where the run differs from what was asked for. */
  warnings: readonly string[];
}

/** What the agents of one run have in common, where one goes on for another. */
export interface Shared {
  /** Requests of all of them are numbered in one row. */
  requests: { count: number };
  /** The private copy that they work in. */
  copy?: SharedCopy;
  /** What is kept of their requests, if it is. */
  recording?: WireRecording;
}

export interface Chooser extends Variables {
  shared: Shared;
  /** The run that it is the source of. */
  run: Run;
  place: Project;
  redact: Redactor | undefined;
  loadAgent?: ((run: Run) => Promise<RunAgent>) | undefined;
  /** Directs the run instead of an agent. */
  script?: ((run: Run) => Script) | undefined;
  /** A person who can be asked; unset: nobody. */
  ask?: AskPerson | undefined;
  /** Answers what passes through the wire in place of all providers. */
  provider?: StandIn | undefined;
}

/** Chooses what makes the events: the built-in agent, another agent's program, or the caller's command. Each is loaded only when chosen. */
export async function chooseSource(given: RunSpec, chooser: Chooser): Promise<Chosen> {
  const spec = { ...given, ...agentOf(given) };
  const { agent, command, limits } = spec;
  const { run, script } = chooser;
  if (script !== undefined) {
    const { ScriptSource } = await import('./script.ts');
    return { source: new ScriptSource(script(run), spec, chooser.place), introduction: {}, limits, warnings: [] };
  }
  refuseWhatIsIgnored(spec);
  if (agent === acpAgent) return (await import('./acp/choose.ts')).acpSource(spec, chooser, chooser.ask);
  if (command !== undefined) return (await import('./command.ts')).commandSource(command, spec, chooser);
  if (agent !== builtIn) return (await import('./agent.ts')).agentSource(spec, chooser);
  // Its file tools see what its process sees, so it needs its own process inside the copy.
  if (chooser.workspace !== undefined) return (await import('./own-process.ts')).ownProcessSource(spec, chooser);
  const { place, env, redact, loadAgent, ask, border } = chooser;
  const options = async () =>
    (await import('./builtin-options.ts')).agentOptions(spec, place, env, redact, ask, border);
  return {
    source: new BuiltInSource(options, loadAgent === undefined ? undefined : () => loadAgent(run)),
    introduction: {},
    limits: watchedLimits(limits),
    warnings: [],
  };
}

/** A source that cannot begin. */
export function refusingSource(failure: Failure): Source {
  return { dialect: 'runwire', canResume: false, produce: () => Promise.reject(failure) };
}

/** A rule that is silently ignored is worse than none. */
function refuseWhatIsIgnored({ agent, command, ...spec }: RunSpec): void {
  const isBuiltIn = command === undefined && agent === builtIn;
  const isAcp = agent === acpAgent;
  const ignored: string[] = [];
  if (isBuiltIn) {
    if (spec.dialect !== undefined) ignored.push('--from');
    if (spec.agent_args.length > 0) ignored.push('--agent-arg');
  } else {
    if (spec.allow.length > 0 && !isAcp) ignored.push('--allow');
    if (spec.deny.length > 0 && !isAcp) ignored.push('--deny');
    if (spec.dialect !== undefined && isAcp) ignored.push('--from');
    if (spec.output_schema !== undefined) ignored.push('--output-schema');
    if (spec.record_model !== undefined) ignored.push('--record-model');
  }
  if (command !== undefined && !isAcp) {
    if (agent !== builtIn) ignored.push('--agent');
    if (spec.permission_mode !== undefined) ignored.push('--permission-mode');
    if (spec.resume !== undefined) ignored.push('--resume');
    if (spec.agent_args.length > 0) ignored.push('--agent-arg');
  }
  if (ignored.length === 0) return;
  const why = isBuiltIn
    ? 'not for the built-in agent'
    : command === undefined || isAcp
      ? 'only the built-in agent knows this'
      : 'not with a COMMAND after --';
  throw new Failure('input', `${ignored.join(', ')}: ${why}`);
}
