import type { Environment } from '../words/vocabulary.ts';
import { Redactor } from './redactor.ts';
import { isWithheld } from './secret-names.ts';
import { passwordsBeside, secretVariables } from './secrets.ts';
import { passwordsIn } from './url-password.ts';

const urlWithUser = /^[a-z][a-z0-9+.-]*:\/\/[^/\s@:]*:[^/\s@]+@/i;
const longestDocument = 1024 * 1024;
/** Git configuration in environment variables: a number of pairs, which only make sense together. */
const gitConfig = /^GIT_CONFIG_(?:COUNT|KEY_\d+|VALUE_\d+|PARAMETERS)$/;

/** The part of our environment that a command may see: everything except what looks like a secret by its name or its value. */
export function withoutSecrets(env: Environment): Record<string, string> {
  const secret = new Set(secretVariables(env).map(([name]) => name));
  const isSecret = (name: string, value: string): boolean =>
    secret.has(name) || isWithheld(name) || holdsSecret(name, value);
  const passesGitConfig = !Object.entries(env).some(
    ([name, value = '']) => gitConfig.test(name) && holdsSecret(name, value),
  );
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined) continue;
    if (gitConfig.test(name) ? passesGitConfig : !isSecret(name, value)) kept[name] = value;
  }
  return kept;
}

/** A value may be recognised as a secret by itself, together with its name, or after base64 decoding. */
function holdsSecret(name: string, value: string): boolean {
  const redactor = new Redactor();
  for (const text of [value, `${name}=${value}`, fromBase64(value)]) redactor.text(text);
  return (
    urlWithUser.test(value) ||
    redactor.count > 0 ||
    passwordsBeside(name, value).length > 0 ||
    passwordsIn(value).length > 0
  );
}

/** Documents such as a kubeconfig or a service account are often passed in base64. */
function fromBase64(value: string): string {
  const plain = value.replaceAll(/\s/g, '');
  if (plain.length < 40 || plain.length > longestDocument || !/^[A-Za-z0-9+/_-]+={0,2}$/.test(plain)) return '';
  try {
    return atob(plain.replaceAll('-', '+').replaceAll('_', '/'));
  } catch {
    return '';
  }
}
