import type { AgentCli } from './agent-cli.ts';
import { Failure } from '../failure.ts';
import { askVersion, findInstalled, searchPath } from './installed.ts';
import { packagedVersion } from './packaged-version.ts';
import type { Environment } from '../words/vocabulary.ts';

export interface Located {
  path: string;
  /** Undefined: it printed none. */
  version: string | undefined;
}

/**
 * An agent's program, ready to be started. Its package gives the version at once; a program without one is asked, and
 * some take seconds to answer. `program`: where it is, if that is known; else it is looked for in PATH.
 */
export async function locate(agent: AgentCli, env: Environment, program?: string): Promise<Located> {
  if (program !== undefined) return askAt(program, agent, env);
  const [name = ''] = agent.binaries;
  const { path } = await searchPath(name, env);
  const version = path === undefined ? undefined : await packagedVersion(path);
  if (path !== undefined && version !== undefined && agent.isItsVersion?.(version) !== false) return { path, version };
  const found = await findInstalled(agent, env);
  if (found.path !== undefined) return { path: found.path, version: found.version };
  throw new Failure(
    'config',
    `${agent.title} is not installed: ${found.problem ?? `no ${name} in PATH`}; install it with: ${agent.install}`,
  );
}

async function askAt(path: string, agent: AgentCli, env: Environment): Promise<Located> {
  const packaged = await packagedVersion(path);
  if (packaged !== undefined) return { path, version: packaged };
  const { path: found, version, problem } = await askVersion(path, agent, env);
  if (found === undefined) throw new Failure('config', problem ?? `${path} cannot be started`);
  return { path, version };
}
