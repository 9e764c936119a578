import type { AgentCli, Ask, Plan } from '../../agents/agent-cli.ts';
import { childEnvironment } from '../../agents/environment.ts';
import { findKey, isKeychainPossible } from '../../agents/key.ts';
import { locate } from '../../agents/locate.ts';
import { findAgent } from '../../agents/registry.ts';
import { SessionMeter, type SessionTotals } from '../../agents/session-meter.ts';
import { messagesIn, modelOf, totalBefore, usedBefore } from '../../agents/session-usage.ts';
import { findReader } from '../../dialects/registry.ts';
import { Failure } from '../../failure.ts';
import { present } from '../../json/present.ts';
import { type Environment, type PermissionMode, permissionModes } from '../../words/vocabulary.ts';
import { ownLimits } from '../../contract/requested.ts';
import type { RunSpec } from '../../contract/spec.ts';
import type { Chosen, Variables } from './choose.ts';
import { placed } from './placed.ts';
import { ProcessSource, type ProcessSourceOptions } from './process.ts';
import { continuePrompt } from './resuming.ts';
import type { Introduction } from './source.ts';

const defaultMode: PermissionMode = 'edit';

/** Another agent's own program, ready to start. Throws `Failure` when it is not installed or cannot do what was asked. */
export async function agentSource(spec: RunSpec, variables: Variables): Promise<Chosen> {
  const cli = findAgent(spec.agent);
  const { permission_mode: mode, pass_env, limits } = spec;
  const { env, set: given, workspace, wire, program } = variables;
  const modes = cli.abilities.permissionModes;
  // A mode that was asked for is a promise, which a stricter mode keeps as well; the default is not a promise.
  if (mode !== undefined && !hasAtMost(modes, mode))
    throw new Failure('input', `--permission-mode ${mode}: ${cli.title} has ${modes.join(', ') || 'no such modes'}`);
  const { path, version } = await locate(cli, env, program);
  await needKey(cli, { ...env, ...given });
  const ask = askOf(spec);
  const plan = (more: Partial<Ask>): Plan => cli.plan({ ...ask, ...more }, version);
  const { refused, unsupported } = plan({});
  if (refused !== undefined) throw new Failure('input', refused);
  const variablesOf = (set: Plan['env']): Record<string, string> =>
    childEnvironment(env, { pass: [...cli.passEnv, ...pass_env], set: { ...set, ...given } });
  const start = { env: variablesOf({}), version, passed: pass_env, workspace };
  const directed =
    wire === undefined ? undefined : await (await import('./directed.ts')).directAgent(cli, ask, wire, start);
  const extraArgs = [...ask.extraArgs, ...(directed?.args ?? [])];
  const source = new ProcessSource({
    canResume: cli.abilities.resume,
    dialect: findReader(spec.dialect ?? cli.dialect),
    meter: meterOf(cli, spec, variables),
    findModel: modelFinder(cli, spec, variables),
    findTotal: totalFinder(cli, spec, variables),
    messagesOf:
      cli.sessionTotals === undefined ? undefined : (session) => messagesIn(cli, session, { ...env, ...given }),
    launch(resume) {
      const {
        args,
        env: set,
        stdin,
      } = plan({ extraArgs, ...(resume === undefined ? {} : { resume, prompt: continuePrompt }) });
      directed?.prepare();
      const order = { command: path, args, cwd: ask.cwd, env: directed?.env(variablesOf(set)) ?? variablesOf(set) };
      return { ...placed(order, { workspace: variables.workspace, border: variables.border?.border }), stdin };
    },
  });
  return {
    source,
    introduction: { agent: cli.id, ...present({ agent_version: version }), ...(await sessionOf(cli, spec, variables)) },
    limits,
    warnings: [...unsupported, ...(directed === undefined ? unkept(cli, spec) : directed.warnings)],
  };
}

/** Refuses what would only wait until somebody stops it. */
async function needKey(cli: AgentCli, env: Environment): Promise<void> {
  if (cli.waitsForLogin !== true || isKeychainPossible) return;
  const { lack } = await findKey(cli, env);
  if (lack !== undefined) throw new Failure('config', `${cli.title} has no key: ${lack}`);
}

function meterOf(
  { sessionStore }: AgentCli,
  { cwd }: RunSpec,
  { env, set }: Variables,
): (() => Promise<SessionTotals | undefined>) | undefined {
  if (sessionStore === undefined) return undefined;
  const meter = new SessionMeter(sessionStore, cwd, { ...env, ...set }, Date.now());
  return () => meter.look();
}

function modelFinder(
  cli: AgentCli,
  { model }: RunSpec,
  { env, set }: Variables,
): ((session: string) => Promise<string | undefined>) | undefined {
  return cli.hidesModel === true && model === undefined
    ? (session) => modelOf(cli, session, { ...env, ...set })
    : undefined;
}

function totalFinder(cli: AgentCli, spec: RunSpec, { env, set }: Variables): ProcessSourceOptions['findTotal'] {
  if (cli.sessionTotals === undefined) return undefined;
  return async (resume = spec.resume) =>
    resume === undefined ? undefined : { total: await totalBefore(cli, resume, { ...env, ...set }) };
}

/** Warns before the start about a limit that can only be checked when it is too late. */
function unkept({ title, tellsUsage, tellsTurnsAtEnd, abilities }: AgentCli, { limits }: RunSpec): string[] {
  const cost = limits.max_cost_usd !== undefined && !abilities.ownLimits.includes('cost') ? ['--max-cost-usd'] : [];
  const turns = limits.max_turns !== undefined && tellsTurnsAtEnd === true ? ['--max-turns'] : [];
  const flags = [...turns, ...cost, ...(limits.max_tokens === undefined ? [] : ['--max-tokens'])];
  if (flags.length === 0 || tellsUsage === 'while it runs') return [];
  return [
    tellsUsage === 'never'
      ? `${title} does not report its usage: ${flags.join(', ')} cannot be enforced.`
      : `${title} reports its usage only at its end: ${flags.join(', ')} cannot stop it before that.`,
  ];
}

/** Whether one of its modes allows at most as much as this one. */
function hasAtMost(modes: readonly PermissionMode[], mode: PermissionMode): boolean {
  return modes.some((each) => permissionModes.indexOf(each) <= permissionModes.indexOf(mode));
}

async function sessionOf(cli: AgentCli, { resume }: RunSpec, { env, set }: Variables): Promise<Introduction> {
  return resume === undefined ? {} : { resumed: true, ...(await usedBefore(cli, resume, { ...env, ...set })) };
}

function askOf(spec: RunSpec): Ask {
  return {
    prompt: spec.prompt,
    cwd: spec.cwd,
    permissionMode: spec.permission_mode ?? defaultMode,
    directories: spec.directories,
    extraArgs: spec.agent_args,
    ...present({
      model: spec.model,
      resume: spec.resume,
      system: spec.system,
      appendSystem: spec.append_system,
      baseUrl: spec.base_url,
    }),
    ...ownLimits(spec.limits),
  };
}
