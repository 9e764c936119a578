import type { Environment } from '../vocabulary.ts';
import { Redactor } from './redactor.ts';
import { isWithheld } from '../secret-names.ts';
import { secretVariables } from './secrets.ts';

const urlWithUser = /^[a-z][a-z0-9+.-]*:\/\/[^/\s@:]*:[^/\s@]+@/i;
/** Git's configuration in variables: a number of pairs, which make sense together only. */
const gitConfig = /^GIT_CONFIG_(?:COUNT|KEY_\d+|VALUE_\d+|PARAMETERS)$/;

/** What a command may know of our environment: everything but what looks like a secret by its name or by its value. */
export function withoutSecrets(env: Environment): Record<string, string> {
  const secret = new Set(secretVariables(env).map(([name]) => name));
  const isSecret = (name: string, value: string): boolean => secret.has(name) || isWithheld(name) || holdsSecret(name, value);
  const passesGitConfig = !Object.entries(env).some(([name, value = '']) => gitConfig.test(name) && holdsSecret(name, value));
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined) continue;
    if (gitConfig.test(name) ? passesGitConfig : !isSecret(name, value)) kept[name] = value;
  }
  return kept;
}

/** A value may be a key by its shape alone, or with its name before it. */
function holdsSecret(name: string, value: string): boolean {
  const redactor = new Redactor();
  redactor.text(value);
  redactor.text(`${name}=${value}`);
  return urlWithUser.test(value) || redactor.count > 0;
}
