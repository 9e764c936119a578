import { closeSync, constants, fstatSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import type { JsonObject } from '../../json/json.ts';
import { isObject } from '../../json/read.ts';
import { messageOf, systemCode } from '../../failure.ts';
import type { Environment } from '../../words/vocabulary.ts';
import { homeFolder } from '../../files/xdg.ts';
import { NotPointed, type PointingPlace } from './pointing.ts';

const mostBytes = 4 * 1024 * 1024;

/** Reads a file of the user's own, which may be a link. Without O_NONBLOCK, opening a FIFO waits for its other end for ever. */
export function readUserFile(path: string): string | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const stat = fstatSync(file);
    if (!stat.isFile()) throw new NotPointed(`${path} is not a regular file`);
    if (stat.size > mostBytes) throw new NotPointed(`${path} is too large for a settings file`);
    return readFileSync(file, 'utf8');
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error instanceof NotPointed ? error : new NotPointed(`${path} cannot be read: ${code ?? messageOf(error)}`);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** The names in a folder of the user's. */
export function listUserFolder(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

type Format = 'json' | 'jsonc' | 'toml' | 'yaml';

/** Each is loaded when the first such file is there. */
const readers: Record<Format, () => Promise<(text: string) => unknown>> = {
  json: async () => JSON.parse,
  jsonc: async () => {
    const { default: strip } = await import('strip-json-comments');
    return (text: string): unknown => JSON.parse(strip(text, { trailingCommas: true }));
  },
  toml: async () => (await import('smol-toml')).parse,
  yaml: async () => (await import('yaml')).parse,
};

/** Settings in a text that was found at `where`. */
export async function settingsIn(text: string, format: Format, where: string): Promise<JsonObject> {
  if (text.trim() === '') return {};
  const read = await readers[format]();
  let value: unknown;
  try {
    value = read(text.replace(/^\ufeff/, ''));
  } catch {
    // A parser's message may quote the line, and the line may hold a key.
    throw new NotPointed(`${where} is not valid ${format.toUpperCase()}`);
  }
  if (value === null || value === undefined) return {};
  if (!isObject(value)) throw new NotPointed(`${where} holds no settings`);
  return value;
}

/** The user's files that were read, so that those with a key in them are known. */
export class UserFiles {
  readonly #place: Pick<PointingPlace, 'read' | 'env'>;
  readonly #texts = new Map<string, string>();

  constructor(place: Pick<PointingPlace, 'read' | 'env'>) {
    this.#place = place;
  }

  text(path: string): string | undefined {
    const text = this.#place.read(path);
    if (text !== undefined) this.#texts.set(path, text);
    return text;
  }

  /** An absent file is one without settings. */
  async settings(path: string, format: Format): Promise<JsonObject> {
    return settingsIn(this.text(path) ?? '', format, path);
  }

  /** The files that hold one of these keys, as they read with the token in its place. */
  covered(keys: readonly string[], token: string): Record<string, string> {
    const covers = [...this.#texts].map(
      ([path, text]) => [path, keys.reduce((each, key) => each.replaceAll(key, token), text)] as const,
    );
    return Object.fromEntries(covers.filter(([path, text]) => text !== this.#texts.get(path)));
  }
}

/**
 * The folder that a variable names, or else one under the home folder. A relative one lies in the checkout, whose files must not decide
 * where a key is sent.
 */
export function userFolder(env: Environment, variable: string, ...otherwise: string[]): string {
  const given = env[variable] ?? '';
  if (given === '') return join(homeFolder(env), ...otherwise);
  if (!isAbsolute(given))
    throw new NotPointed(`${variable} names a folder relative to the working folder: ${given}; make it absolute`);
  return given;
}
