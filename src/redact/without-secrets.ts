import type { Environment } from '../vocabulary.ts';
import { isWithheld } from './secret-names.ts';
import { secretVariables } from './secrets.ts';

const urlWithPassword = /^[a-z][a-z0-9+.-]*:\/\/[^/\s:@]*:[^/\s@]+@/i;

/** What a command may know of our environment: everything but what looks like a secret by its name or by its value. */
export function withoutSecrets(env: Environment): Record<string, string> {
  const secret = new Set(secretVariables(env).map(([name]) => name));
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && !secret.has(name) && !isWithheld(name) && !urlWithPassword.test(value)) kept[name] = value;
  }
  return kept;
}
