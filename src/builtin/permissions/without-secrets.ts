import type { Environment } from '../../vocabulary.ts';

const secretName = /KEY|TOKEN|SECRET|PASSW|PASSPHRASE|_PASS$|_PWD$|CREDENTIAL|PRIVATE|COOKIE|DSN$|CONNECTION_?STRING|_AUTH$|^AUTH_/i;
const urlWithPassword = /^[a-z][a-z0-9+.-]*:\/\/[^/\s:@]*:[^/\s@]+@/i;

/** What a command may know of our environment: everything but what looks like a secret by its name or is a URL with a password. */
export function withoutSecrets(env: Environment): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && !secretName.test(name) && !urlWithPassword.test(value)) kept[name] = value;
  }
  return kept;
}
