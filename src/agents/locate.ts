import { readFile, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { AgentCli } from './agent-cli.ts';
import { Failure } from '../failure.ts';
import { findInstalled, searchPath } from './installed.ts';
import type { Environment } from '../vocabulary.ts';

export interface Located {
  path: string;
  /** Undefined: it printed none. */
  version: string | undefined;
}

/** How many folders up from the program its package.json is looked for. */
const levels = 5;

/**
 * An agent's program, ready to be started. Its package gives the version at once; a program without one is asked, and
 * some take seconds to answer.
 */
export async function locate(agent: AgentCli, env: Environment): Promise<Located> {
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

async function packagedVersion(path: string): Promise<string | undefined> {
  let folder = dirname(await realpath(path).catch(() => path));
  for (let level = 0; level < levels && folder !== dirname(folder); level += 1, folder = dirname(folder)) {
    const manifest = await readManifest(join(folder, 'package.json'));
    if (manifest === undefined) continue;
    const { bin, version } = manifest;
    const isIts = typeof bin === 'string' || (typeof bin === 'object' && bin !== null && Object.hasOwn(bin, basename(path)));
    return isIts && typeof version === 'string' ? version : undefined;
  }
  return undefined;
}

async function readManifest(path: string): Promise<{ bin?: unknown; version?: unknown } | undefined> {
  try {
    const manifest: unknown = JSON.parse(await readFile(path, 'utf8'));
    return typeof manifest === 'object' && manifest !== null ? manifest : undefined;
  } catch {
    return undefined;
  }
}
