import { realpath } from 'node:fs/promises';
import { basename, delimiter, isAbsolute } from 'node:path';
import { acpCommand } from '../agents/acp-command.ts';
import { allowedNames, childEnvironment } from '../agents/environment.ts';
import { searchPath } from '../agents/installed.ts';
import { agents } from '../agents/registry.ts';
import { isInside } from '../files/inside.ts';
import { withoutPassword } from '../redact/url-password.ts';
import { builtInVariables } from '../run/sources/own-process.ts';
import type { RunSpec } from '../contract/spec.ts';
import { isWithheld } from '../redact/secret-names.ts';
import { acpAgent, builtIn, type Environment } from '../words/vocabulary.ts';

/** What a queued run sees of its worker's variables. */
export interface RunEnvironment {
  env: Environment;
  /** Secrets of the worker that its agent would use, and that the worker does not allow. */
  withheld: string[];
}

/** With these a run could act as whoever operates the worker, so they are not among what every child gets. */
const identity = ['SSH_AUTH_SOCK', 'GIT_SSH', 'GIT_SSH_COMMAND'];

/** Where an agent finds its model, and how it runs: not secret, and without it an allowed key would be sent to another server. */
const whereabouts =
  /_(?:BASE_URL|API_BASE|HOST|ENDPOINT|RESOURCE_NAME|API_VERSION)$|^RUNWIRE_(?:MODEL|NAMESPACE|PATIENCE)$/;

/** What every child process on a worker gets. */
export function everyRunGets(env: Environment): Environment {
  const usual = Object.entries(childEnvironment(env, { pass: [], set: {} })).filter(
    ([name]) => !identity.includes(name),
  );
  // What a relative folder holds is up to the repository.
  return {
    ...Object.fromEntries(usual),
    PATH: (env['PATH'] ?? '').split(delimiter).filter(isAbsolute).join(delimiter),
  };
}

/**
 * The variables of a queued run: what every child gets, and of those that the worker allows, the ones that the spec names or its
 * agent uses. Everything that a run starts or sends is made from these, so that no field of a spec and no file of its
 * repository can send a key to another place.
 */
export async function runEnvironment(
  spec: Pick<RunSpec, 'agent' | 'command' | 'pass_env' | 'base_url'>,
  { env, allowEnv, places }: { env: Environment; allowEnv: readonly string[]; places: string },
): Promise<RunEnvironment> {
  const own = await ownVariables(spec, env, places);
  const usual = everyRunGets(env);
  const allowed = allowedNames(env, [...identity, ...own, ...spec.pass_env], allowEnv);
  const wanted = allowedNames(env, own, ['*']);
  const harmless = wanted.filter((name) => whereabouts.test(name) && isHarmless(env[name] ?? ''));
  const given = Object.fromEntries([...harmless, ...allowed].map((name) => [name, env[name]]));
  return {
    env: { ...given, ...usual, ...(spec.base_url === undefined ? {} : { RUNWIRE_CONFIG_KEYS: 'none' }) },
    withheld: wanted.filter((name) => isWithheld(name) && !Object.hasOwn(given, name)),
  };
}

/** An address may hold a password, or a key in its query. */
function isHarmless(value: string): boolean {
  return !value.includes('?') && withoutPassword(value) === value;
}

/** The variables of the agent that is sure to be started. */
async function ownVariables(
  { agent, command }: Pick<RunSpec, 'agent' | 'command'>,
  env: Environment,
  places: string,
): Promise<string[]> {
  const [program] = command ?? acpWords(agent);
  if (program === undefined)
    return agent === builtIn ? [...builtInVariables] : [...(agents.find(({ id }) => id === agent)?.passEnv ?? [])];
  const known = agents.find(
    ({ id, binaries }) => (agent.startsWith(acpAgent) && id === program) || binaries.includes(basename(program)),
  );
  if (known === undefined) return [];
  return (await isInstalled(program === known.id ? (known.binaries[0] ?? program) : program, env, places))
    ? [...known.passEnv]
    : [];
}

function acpWords(agent: string): readonly string[] {
  try {
    return acpCommand(agent) ?? [];
  } catch {
    // The run is going to be refused for it.
    return [''];
  }
}

/** Whether it is the program that PATH leads to, and not one of the same name that a repository brings. */
async function isInstalled(program: string, env: Environment, places: string): Promise<boolean> {
  const { path } = await searchPath(basename(program), env);
  if (path === undefined || (program !== basename(program) && program !== path)) return false;
  const real = async (each: string): Promise<string> => realpath(each).catch(() => each);
  return !isInside(await real(path), await real(places));
}
