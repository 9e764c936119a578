import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { looksRandom } from '../../redact/randomness.ts';
import { secretVariables } from '../../redact/secrets.ts';
import { passwordsIn } from '../../redact/url-password.ts';
import type { Environment } from '../../words/vocabulary.ts';
import { configFolder } from '../../files/xdg.ts';

/** The part of a config file that may hold secrets, even if the file is invalid. */
interface Holder {
  keys?: unknown;
  baseUrl?: unknown;
  mcpServers?: unknown;
}

/** The secrets in the user's own config file. An agent that reads the file must not reveal them. */
export function ownSecrets(env: Environment): string[] {
  try {
    const value: unknown = JSON.parse(readFileSync(join(configFolder(env), 'config.json'), 'utf8'));
    return typeof value === 'object' && value !== null ? configSecrets(value, env) : [];
  } catch {
    // A problem is reported where the file is needed.
    return [];
  }
}

/** Keys, secrets in the settings of MCP servers, and passwords in addresses. */
export function configSecrets({ keys, baseUrl, mcpServers }: Holder, env: Environment): string[] {
  return [
    ...Object.values(textsOf(keys)),
    ...(typeof baseUrl === 'string' ? passwordsIn(baseUrl) : []),
    ...Object.values(fieldsOf(mcpServers)).flatMap((server) => serverSecrets(fieldsOf(server), env)),
  ];
}

function serverSecrets(server: Record<string, unknown>, env: Environment): string[] {
  const fill = (text: string): string => text.replaceAll(/\$\{([A-Za-z_]\w*)\}/g, (_, name: string) => env[name] ?? '');
  const given = Object.fromEntries(Object.entries(textsOf(server.env)).map(([name, text]) => [name, fill(text)]));
  const headers = Object.values(textsOf(server.headers)).map((text) => fill(text).replace(/^[A-Za-z]{3,20} +/, ''));
  const words = Object.values(textsOf(server.args)).map((text) => fill(text).replace(/^-[\w-]*=/, ''));
  return [
    ...secretVariables(given).map(([, value]) => value),
    ...[...Object.values(given), ...headers, ...words].filter((text) => looksRandom(text, 12)),
    ...[server.url, ...Object.values(given), ...words].flatMap((text) =>
      typeof text === 'string' ? passwordsIn(fill(text)) : [],
    ),
  ];
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function textsOf(value: unknown): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fieldsOf(value)).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
