import { homedir, userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';
import type { Environment } from '../words/vocabulary.ts';

/** For what we store: sessions, the ledger and its tapes. */
export const stateFolder = (env: Environment): string => join(xdg(env, 'XDG_STATE_HOME', '.local', 'state'), 'runwire');

/** For what can be fetched again. */
export const cacheFolder = (env: Environment): string => join(xdg(env, 'XDG_CACHE_HOME', '.cache'), 'runwire');

export const configFolder = (env: Environment): string => join(xdg(env, 'XDG_CONFIG_HOME', '.config'), 'runwire');

/** The XDG rules: a relative path in such a variable is not valid and is ignored. */
function xdg(env: Environment, variable: string, ...otherwise: string[]): string {
  const given = env[variable];
  return given !== undefined && isAbsolute(given) ? given : join(homeFolder(env), ...otherwise);
}

/**
 * An empty or relative HOME would be the working folder, or lie in it: the user's own counts. A user unknown to the system, as in a
 * container with an arbitrary user id, gets the home that Debian uses for users without one.
 */
export function homeFolder(env: Environment): string {
  try {
    return [env['HOME'] ?? '', homedir()].find((path) => isAbsolute(path)) ?? userInfo().homedir;
  } catch {
    return '/nonexistent';
  }
}
