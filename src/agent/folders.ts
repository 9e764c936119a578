import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';

type Env = Readonly<Record<string, string | undefined>>;

/** From the working directory up to the root of its repository; only itself when it is in none. */
export function foldersUpToRoot(cwd: string): string[] {
  const folders: string[] = [];
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    folders.push(folder);
    if (existsSync(join(folder, '.git'))) return folders;
    if (folder === dirname(folder)) return folders.slice(0, 1);
  }
}

export const stateFolder = (env: Env): string => join(xdg(env, 'XDG_STATE_HOME', '.local', 'state'), 'runwire');

export const configFolder = (env: Env): string => join(xdg(env, 'XDG_CONFIG_HOME', '.config'), 'runwire');

/** The XDG rules: a relative path in such a variable is not valid and is ignored. */
function xdg(env: Env, variable: string, ...otherwise: string[]): string {
  const given = env[variable];
  return given !== undefined && isAbsolute(given) ? given : join(env['HOME'] || homedir(), ...otherwise);
}
