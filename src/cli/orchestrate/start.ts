import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { childEnvironment } from '../../agents/environment.ts';
import type { RunAgent } from '../../builtin/agent.ts';
import { Failure } from '../../failure.ts';
import { Crew } from '../../orchestrate/crew.ts';
import type { AgentChoice, Settings } from '../../orchestrate/settings.ts';
import { present } from '../../present.ts';
import type { Script } from '../../run/sources/script.ts';
import type { RunSpec } from '../../run/spec.ts';
import { readReport } from '../run/report.ts';
import { ledgerPlace } from '../../stores/open-store.ts';
import { builtIn } from '../../vocabulary.ts';
import { findBase } from '../../workspace/base.ts';
import { openRepository } from '../../workspace/repository.ts';
import type { Context } from '../context.ts';
import { readFlags, readFormat, type RunFlags, type RunValues } from '../run/flags.ts';
import { follow } from '../run/follow.ts';
import { readInputs, specOfFlags } from '../run/settings.ts';
import { loadWriter } from '../run/writers.ts';
import type { CrewFlags } from './flags.ts';

export interface Conducted {
  crew: Crew;
  flags: RunFlags;
  code: number;
}

interface Conducting {
  values: RunValues;
  crewFlags: CrewFlags;
  prompt: string;
  /** Who directs the crew: an agent with a model, or a script without one. */
  directorOf(crew: Crew): { loadAgent: () => Promise<RunAgent> } | { script: Script };
  /** Of the run on top, where it is not what the flags say. */
  limits?: RunSpec['limits'];
}

/** Several agents under one run, from the flags to the exit code. Everything that can be wrong is said before the first model call. */
export async function conduct({ values, crewFlags, prompt, directorOf, limits }: Conducting, context: Context): Promise<Conducted> {
  try {
    const format = readFormat(values);
    const flags = { ...readFlags(values, []), isolate: undefined, quiet: values.quiet === true || format.flag === '--stream-json' };
    const writer = await loadWriter(format);
    const inputs = await readInputs(flags, context);
    const asked = specOfFlags(flags, { ...inputs, prompt, command: undefined }, context);
    const { settings, tellWith } = await settle(asked, crewFlags, flags, context);
    const spec: RunSpec = { ...asked, parent_branch_id: settings.base.branchId, ...present({ limits }) };
    context.hideEnvironment(new Set(Object.keys(childEnvironment(context.env, { pass: [], set: {} }))));
    const crew = new Crew(settings);
    const code = await follow(
      {
        flags,
        spec,
        writer,
        tellsReport: true,
        loadAgent: undefined,
        ...directorOf(crew),
        onRun(run, complain) {
          crew.run = run;
          if (!flags.quiet) tellWith(complain);
        },
      },
      context,
    );
    return { crew, flags, code };
  } finally {
    context.leaveSoon();
  }
}

async function settle(
  spec: RunSpec,
  { agents, agentTimeoutMs, from, ...crewFlags }: CrewFlags,
  flags: RunFlags,
  context: Context,
): Promise<{ settings: Settings; tellWith(complain: (message: string) => void): void }> {
  const { env } = context;
  const repository = await openRepository(spec.cwd, env);
  for (const path of crewFlags.copy)
    if (!existsSync(resolve(spec.cwd, path))) throw new Failure('input', `--copy ${path}: there is no such file`);
  const base = await findBase(repository, { from, dirty: crewFlags.dirty });
  const place = ledgerPlace(flags.ledger, env, context.cwd);
  let complain = (_message: string): void => {};
  const settings: Settings = {
    ...crewFlags,
    repository,
    base,
    cwd: spec.cwd,
    env,
    variables: flags.extraEnv.set,
    agents: withModels(agents ?? (await usableAgents(env)), spec.model),
    spec,
    limits: present({ timeout_ms: agentTimeoutMs }),
    ledger: place.kind === 'none' ? undefined : { place, keepsTape: flags.keepsTape },
    report: readReport(flags.report, env),
    warn: (message) => complain(message),
    clock: context.now,
  };
  return { settings, tellWith: (tell) => void (complain = tell) };
}

/** The built-in agent works with the model of the command line, unless it was given one of its own. */
function withModels(agents: readonly AgentChoice[], model: string | undefined): AgentChoice[] {
  return agents.map((each) => (each.agent === builtIn && each.model === undefined ? { ...each, ...present({ model }) } : each));
}

async function usableAgents(env: Context['env']): Promise<AgentChoice[]> {
  const [{ agents }, { findInstalled }] = await Promise.all([import('../../agents/registry.ts'), import('../../agents/installed.ts')]);
  const found = await Promise.all(agents.map(async (agent) => ({ agent: agent.id, path: (await findInstalled(agent, env)).path })));
  return [{ agent: builtIn }, ...found.flatMap(({ agent, path }) => (path === undefined ? [] : [{ agent }]))];
}

/** Every name is one that we know, and its program is there. */
export async function checkAgents(agents: readonly AgentChoice[] | undefined): Promise<void> {
  if (agents === undefined) return;
  const { findAgent } = await import('../../agents/registry.ts');
  for (const { agent } of agents) {
    if (agent === builtIn) continue;
    try {
      findAgent(agent);
    } catch (error) {
      throw error instanceof Failure ? new Failure('input', `--agents: ${error.message}`, { cause: error }) : error;
    }
  }
}
