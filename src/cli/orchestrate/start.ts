import { childEnvironment } from '../../agents/environment.ts';
import { acpCommand } from '../../agents/acp-command.ts';
import { Failure } from '../../failure.ts';
import { publishingTo } from '../../orchestrate/publish.ts';
import { pushGround } from '../../workspace/push-ground.ts';
import type { AgentChoice, Settings } from '../../orchestrate/settings.ts';
import { present } from '../../json/present.ts';
import type { RunOutcome } from '../../outcome/outcome.ts';
import { Redactor } from '../../redact/redactor.ts';
import { secretValues } from '../../redact/secrets.ts';
import type { RunSpec } from '../../contract/spec.ts';
import { builtIn } from '../../words/vocabulary.ts';
import { findBase } from '../../workspace/base.ts';
import { commitOf, openRepository } from '../../workspace/repository.ts';
import { insideOf } from '../../workspace/workspace.ts';
import type { Context } from '../context.ts';
import { wantsDocuments } from '../run/document-flags.ts';
import { readFlags, type RunFlags } from '../run/flags.ts';
import { readFormat } from '../run/format-flags.ts';
import type { RunValues } from '../run/options.ts';
import { type Director, follow, type People } from '../run/follow.ts';
import { recordingOf } from '../run/recording.ts';
import { readInputs, specOfFlags } from '../run/settings.ts';
import { loadWriter } from '../run/writers.ts';
import type { CrewFlags } from './flags.ts';

export interface Conducted {
  flags: RunFlags;
  code: number;
  outcome: RunOutcome;
}

interface Conducting {
  values: RunValues;
  crewFlags: CrewFlags;
  prompt: string;
  /** Whether the model of the command line directs the agents. */
  hasBrain: boolean;
  /** Where the work started, if it goes on with earlier work; unset: where the checkout is. */
  baseCommit?: string | undefined;
  /** What directs the agents: one with a model, or a script without one. */
  directorOf(settings: Settings, limits: RunSpec['limits'], people: People): Director;
  /** The limits of the top-level run, derived from the requested ones. */
  limitsOf?(request: RunSpec['limits']): RunSpec['limits'];
}

/** Several agents under one run, from the flags to the exit code. Everything that can be wrong is reported before the first model call. */
export async function conduct(
  { values, crewFlags, prompt, hasBrain, directorOf, limitsOf, baseCommit }: Conducting,
  context: Context,
): Promise<Conducted> {
  try {
    const format = readFormat(values);
    // The top-level run itself does not work in a copy.
    const { isolate: _isolate, dirty: _dirty, setup: _setup, copy: _copy, ...own } = values;
    const flags = { ...readFlags(own, []), quiet: values.quiet === true || format.flag === '--stream-json' };
    const writer = await loadWriter(format);
    const inputs = await readInputs(flags, context);
    const request = specOfFlags(flags, { ...inputs, prompt, command: undefined }, context);
    const settings = await settle(request, { ...crewFlags, hasBrain, baseCommit }, flags, context);
    // Expectations apply to each agent: the top-level run does no work itself.
    const { expect: _expect, ...top } = request;
    const spec: RunSpec = {
      ...top,
      parent_branch_id: settings.base.branchId,
      limits: limitsOf?.(request.limits) ?? request.limits,
    };
    context.hideEnvironment(new Set(Object.keys(childEnvironment(context.env, { pass: [], set: {} }))));
    const { code, outcome } = await follow(
      {
        flags,
        spec,
        writer,
        tellsReport: true,
        mayDraw: !crewFlags.isHeadless,
        directorOf: (people) =>
          directorOf({ ...settings, warn: flags.quiet ? () => {} : people.complain }, request.limits, people),
      },
      context,
    );
    return { flags, code, outcome };
  } catch (error) {
    if (error instanceof Failure && wantsDocuments(values, context.env))
      await (await import('../run/documents.ts')).documentRefusal(error, { values, prompt }, context);
    throw error;
  } finally {
    context.leaveSoon();
  }
}

async function settle(
  spec: RunSpec,
  {
    agents: named,
    agentTimeoutMs,
    from,
    hasBrain,
    isHeadless: _isHeadless,
    baseCommit,
    ...crewFlags
  }: CrewFlags & { hasBrain: boolean; baseCommit: string | undefined },
  flags: RunFlags,
  context: Context,
): Promise<Omit<Settings, 'warn'>> {
  const { env } = context;
  const repository = await openRepository(spec.cwd, env);
  for (const path of crewFlags.copy) insideOf(repository, path);
  const found = await findBase(repository, { from, dirty: crewFlags.dirty });
  const base =
    baseCommit === undefined || baseCommit === found.commit
      ? found
      : { ...found, commit: await commitOf(repository, baseCommit), isCheckedOut: false, isSnapshot: false };
  // The conversation is the brain's own.
  const { resume: _resume, record_model: _recording, ...shared } = spec;
  const recording = recordingOf(flags, context);
  const agents = withModels(named ?? (await usableAgents(spec, env)), spec.model);
  const redact = spec.redact ? new Redactor({ values: secretValues({ ...env, ...flags.extraEnv.set }) }) : undefined;
  return {
    ...crewFlags,
    remote: await publishingTo(repository, { ...crewFlags, env }),
    pushGround: crewFlags.publish === 'none' ? undefined : await pushGround(repository.git),
    repository,
    base,
    cwd: spec.cwd,
    env,
    variables: flags.extraEnv.set,
    agents,
    spec: shared,
    baseUrlFor: hasBrain || agents.some(({ agent }) => agent === builtIn) ? 'builtin' : 'everybody',
    limits: present({ timeout_ms: agentTimeoutMs, max_repeats: spec.limits.max_repeats }),
    clean: (text) => redact?.text(text) ?? text,
    ...recording,
    clock: context.now,
  };
}

/** The built-in agent uses the model of the command line, unless it was given its own. */
function withModels(agents: readonly AgentChoice[], model: string | undefined): AgentChoice[] {
  return agents.map((each) =>
    each.agent === builtIn && each.model === undefined ? { ...each, ...present({ model }) } : each,
  );
}

/** The built-in agent where there is a model for it, and every other one that is installed. */
async function usableAgents({ model, cwd }: RunSpec, env: Context['env']): Promise<AgentChoice[]> {
  const [{ agents }, { findInstalled }, { loadConfig }] = await Promise.all([
    import('../../agents/registry.ts'),
    import('../../agents/installed.ts'),
    import('../../builtin/config/config.ts'),
  ]);
  const found = await Promise.all(
    agents.map(async (agent) => ({ agent: agent.id, path: (await findInstalled(agent, env)).path })),
  );
  const hasModel = (model ?? env.RUNWIRE_MODEL ?? (await loadConfig({ cwd, env })).model) !== undefined;
  const usable = [
    ...(hasModel ? [{ agent: builtIn }] : []),
    ...found.flatMap(({ agent, path }) => (path === undefined ? [] : [{ agent }])),
  ];
  if (usable.length === 0)
    throw new Failure('config', 'no agent is installed, and the built-in one has no model: name one with --model');
  return usable;
}

/** Checks that every name is known and that its program is installed. */
export async function checkAgents(agents: readonly AgentChoice[] | undefined, env: Context['env']): Promise<void> {
  if (agents === undefined) return;
  const [{ findAgent }, { locate }, { acpProgram, locateAcp }] = await Promise.all([
    import('../../agents/registry.ts'),
    import('../../agents/locate.ts'),
    import('../../agents/acp-program.ts'),
  ]);
  for (const { agent } of agents) {
    if (agent === builtIn) continue;
    try {
      const words = acpCommand(agent);
      if (words === undefined) await locate(findAgent(agent), env);
      else await locateAcp(acpProgram(words), env);
    } catch (error) {
      throw error instanceof Failure ? new Failure('input', `--agents: ${error.message}`, { cause: error }) : error;
    }
  }
}
