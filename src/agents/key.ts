import { access } from 'node:fs/promises';
import { join } from 'node:path';
import type { Environment } from '../words/vocabulary.ts';
import { homeFolder } from '../files/xdg.ts';
import type { AgentCli } from './agent-cli.ts';

/** On macOS a login is usually kept in the keychain, which we do not read. */
export const isKeychainPossible = process.platform === 'darwin';

/** Where an agent's key is, or where it was looked for in vain; never what is in it. */
type Key = { place: string; lack?: undefined } | { place?: undefined; lack: string };

export async function findKey({ keys, notKeys = {}, logins }: AgentCli, env: Environment): Promise<Key> {
  const isSet = (name: string): boolean => (env[name] ?? '') !== '';
  const variable = keys.find(isSet);
  if (variable !== undefined) return { place: `in ${variable}` };
  for (const login of logins) {
    const isThere = await access(join(homeFolder(env), login)).then(
      () => true,
      () => false,
    );
    if (isThere) return { place: `perhaps in ~/${login}, which exists` };
  }
  const places = logins.map((login) => `~/${login}`).join(', ');
  const mistaken = Object.entries(notKeys).filter(([name]) => isSet(name));
  const hints = mistaken.map(([name, right]) => `; ${name} is set, but is not sent: set ${right}`).join('');
  const unset = keys.length === 1 ? `${keys[0]} is not set` : `none of ${shortList(keys)} is set`;
  return { lack: `${unset}${places === '' ? '' : `, and there is no ${places}`}${hints}` };
}

function shortList(names: readonly string[]): string {
  const shown = names.slice(0, 5).join(', ');
  return names.length > 5 ? `${shown} and ${names.length - 5} more` : shown;
}
