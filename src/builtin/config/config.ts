import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { z } from 'zod';
import { Failure, messageOf, systemCode } from '../../failure.ts';
import { present } from '../../json/present.ts';
import { NotRead, readRepositoryFile } from '../../files/repository-file.ts';
import type { ProjectConfig, UserConfig } from './schema.ts';
import { configFolder } from '../../files/xdg.ts';
import { foldersUpToRoot } from '../folders.ts';
import type { Environment } from '../../words/vocabulary.ts';

/** The contents of the config files; flags and the environment take precedence. */
export type Config = z.infer<typeof UserConfig>;

/** Where a command runs. */
export interface Where {
  cwd: string;
  env: Environment;
}

/** The user's own file, and the nearest `runwire.json` up to the root of the repository, which takes precedence. */
export async function loadConfig({ cwd, env }: Where): Promise<Config> {
  const user = await loadOwn(env);
  const folders = foldersUpToRoot(cwd);
  for (const folder of folders) {
    const file = join(folder, 'runwire.json');
    const found = await parseConfig(file, readProject(file, folders.at(-1) ?? folder), 'ProjectConfig');
    if (found === undefined) continue;
    const asks = beyondNarrowing(found);
    if (asks.length > 0 && !isTrusted(folder, user, env)) {
      throw new Failure(
        'config',
        `${file} asks for more than an untrusted project may have (${asks.join(', ')}): set RUNWIRE_TRUST_PROJECT=1 for this run, or add the folder to "trust" in your own config file; without trust it may only narrow permissions`,
      );
    }
    return merge(user, found);
  }
  return user;
}

/** The prices in the config files, by model; those of a project only if it is trusted. */
export async function loadConfigPrices({ cwd, env }: Where): Promise<NonNullable<Config['prices']>> {
  const user = await loadOwn(env);
  const folders = foldersUpToRoot(cwd);
  const folder = folders.find(
    (each) => isTrusted(each, user, env) && readProject(join(each, 'runwire.json'), each) !== undefined,
  );
  return (folder === undefined ? user : await loadConfig({ cwd: folder, env })).prices ?? {};
}

async function loadOwn(env: Environment): Promise<Config> {
  const own = join(configFolder(env), 'config.json');
  const { keys, ...others } = (await parseConfig(own, readOwn(own), 'UserConfig')) ?? {};
  // Its keys are for the user's own addresses: a run whose address somebody else chose gets none of them.
  return keys === undefined || env.RUNWIRE_CONFIG_KEYS === 'none' ? others : { ...others, keys };
}

function isTrusted(folder: string, { trust = [] }: Config, env: Environment): boolean {
  return env.RUNWIRE_TRUST_PROJECT === '1' || trust.some((each) => resolve(each) === folder);
}

/**
 * Everything that would let somebody else's repository run commands of its choice, answer for the model, speak as the user or
 * set the bill: everything except narrower permissions, so that a new setting needs trust until it is named here.
 */
function beyondNarrowing({ permissions = {}, ...others }: z.infer<typeof ProjectConfig>): string[] {
  const { mode, allow = [], directories = [] } = permissions;
  return [
    ...Object.entries(others).flatMap(([name, value]) => (isEmpty(value) ? [] : [name])),
    ...(mode === undefined || mode === 'read-only' ? [] : ['permissions.mode']),
    ...(allow.length === 0 ? [] : ['permissions.allow']),
    ...(directories.length === 0 ? [] : ['permissions.directories']),
  ];
}

function isEmpty(value: string | object | undefined): boolean {
  return value === undefined || (typeof value === 'object' && Object.keys(value).length === 0);
}

interface Schemas {
  UserConfig: typeof UserConfig;
  ProjectConfig: typeof ProjectConfig;
}

/** The user's own file may be anywhere: for many users it is a link. */
function readOwn(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new Failure('config', `cannot read ${file}: ${code ?? String(error)}`, { cause: error });
  }
}

const mostOfProject = 1024 * 1024;

function readProject(file: string, root: string): string | undefined {
  try {
    const found = readRepositoryFile(file, { root, maxBytes: mostOfProject });
    if (found !== undefined && found.leftOut > 0) throw new NotRead(`it has more than ${mostOfProject} bytes`);
    return found?.text;
  } catch (error) {
    if (!(error instanceof NotRead)) throw error;
    throw new Failure(
      'config',
      `cannot read ${file}: ${error.message}; put a regular file in its place, or remove it`,
      { cause: error },
    );
  }
}

/** The schemas take long to load compared with the start of a run; without a file they are not needed. */
async function parseConfig<Name extends keyof Schemas>(
  file: string,
  text: string | undefined,
  name: Name,
): Promise<z.infer<Schemas[Name]> | undefined> {
  if (text === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Failure('config', `${file} is not JSON: ${messageOf(error)}`, { cause: error });
  }
  const schemas: Schemas = await import('./schema.ts');
  const result = schemas[name].safeParse(value);
  if (result.success) return result.data as z.infer<Schemas[Name]>;
  throw new Failure('config', `${file}: ${result.error.issues.map((issue) => describe(issue, name)).join('; ')}`);
}

function describe(issue: z.core.$ZodIssue, name: keyof Schemas): string {
  const forUserOnly = issue.code === 'unrecognized_keys' && issue.path.length === 0 && name === 'ProjectConfig';
  const moved = forUserOnly ? issue.keys.filter((key) => key === 'keys' || key === 'baseUrl' || key === 'tapes') : [];
  if (moved.length > 0) return `${moved.join(' and ')} may only be set in your own config file, never by a project`;
  return `${issue.path.length > 0 ? `${issue.path.join('.')}: ` : ''}${issue.message}`;
}

function merge(user: Config, found: z.infer<typeof ProjectConfig>): Config {
  const lists = (key: 'allow' | 'deny' | 'directories'): string[] => [
    ...(user.permissions?.[key] ?? []),
    ...(found.permissions?.[key] ?? []),
  ];
  const mode = found.permissions?.mode ?? user.permissions?.mode;
  return {
    ...user,
    ...found,
    ...(user.prices || found.prices ? { prices: { ...user.prices, ...found.prices } } : {}),
    ...(user.mcpServers || found.mcpServers ? { mcpServers: { ...user.mcpServers, ...found.mcpServers } } : {}),
    ...(user.permissions || found.permissions
      ? {
          permissions: {
            ...present({ mode }),
            allow: lists('allow'),
            deny: lists('deny'),
            directories: lists('directories'),
          },
        }
      : {}),
  };
}
