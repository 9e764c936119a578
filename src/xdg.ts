import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import type { Environment } from './vocabulary.ts';

/** What we remember: sessions, the ledger and its tapes. */
export const stateFolder = (env: Environment): string => join(xdg(env, 'XDG_STATE_HOME', '.local', 'state'), 'runwire');

export const configFolder = (env: Environment): string => join(xdg(env, 'XDG_CONFIG_HOME', '.config'), 'runwire');

/** The XDG rules: a relative path in such a variable is not valid and is ignored. */
function xdg(env: Environment, variable: string, ...otherwise: string[]): string {
  const given = env[variable];
  return given !== undefined && isAbsolute(given) ? given : join(homeFolder(env), ...otherwise);
}

/** Whom the system does not know, as in a container with any user id, has the home that Debian gives to those who have none. */
export function homeFolder(env: Environment): string {
  try {
    return env['HOME'] || homedir();
  } catch {
    return '/nonexistent';
  }
}
