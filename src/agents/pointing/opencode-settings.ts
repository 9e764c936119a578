import { dirname, isAbsolute, join, resolve } from 'node:path';
import type { JsonObject } from '../../json/json.ts';
import { object } from '../../json/read.ts';
import { homeFolder } from '../../files/xdg.ts';
import type { Environment } from '../../words/vocabulary.ts';
import { layered } from './layers.ts';
import { NotPointed } from './pointing.ts';
import { given } from './route-of.ts';
import { settingsIn, type UserFiles, userFolder } from './user-files.ts';

/** OpenCode and its fork keep the same things under different names. */
export interface OpenCodePlaces {
  /** `OPENCODE` of `OPENCODE_CONFIG`. */
  prefix: string;
  /** Its folder under those of XDG. */
  folder: string;
  /** Its folders under the home folder. */
  homeFolders: readonly string[];
  /** Names of settings files, each laid over those before it. */
  names: readonly string[];
}

interface OwnSettings {
  settings: JsonObject;
  /** What it has stored for providers: keys and logins. */
  logins: JsonObject;
}

/** The user's layers of settings, least important first. Those of a project lie between them, and ours are laid over all. */
export async function openCodeSettings(
  places: OpenCodePlaces,
  files: UserFiles,
  env: Environment,
): Promise<OwnSettings> {
  const { prefix, folder, homeFolders, names } = places;
  const own = variableFile(env, `${prefix}_CONFIG`);
  const extra = given(env, `${prefix}_CONFIG_DIR`) === undefined ? [] : [userFolder(env, `${prefix}_CONFIG_DIR`)];
  const paths = [
    ...names.map((name) => join(userFolder(env, 'XDG_CONFIG_HOME', '.config'), folder, name)),
    ...own,
    ...homeFolders.flatMap((each) => names.map((name) => join(homeFolder(env), each, name))),
    ...extra.flatMap((each) => names.map((name) => join(each, name))),
  ];
  let settings: JsonObject = {};
  for (const path of paths)
    settings = layered(settings, resolved(await files.settings(path, 'jsonc'), dirname(path), files, env));
  const content = `${prefix}_CONFIG_CONTENT`;
  const inline = await settingsIn(env[content] ?? '', 'jsonc', content);
  return {
    settings: layered(settings, resolved(inline, undefined, files, env)),
    logins: await loginsOf(places, files, env),
  };
}

async function loginsOf({ prefix, folder }: OpenCodePlaces, files: UserFiles, env: Environment): Promise<JsonObject> {
  const variable = `${prefix}_AUTH_CONTENT`;
  const inline = given(env, variable);
  if (inline !== undefined) return settingsIn(inline, 'json', variable);
  return files.settings(join(userFolder(env, 'XDG_DATA_HOME', '.local', 'share'), folder, 'auth.json'), 'json');
}

function variableFile(env: Environment, variable: string): string[] {
  const path = given(env, variable);
  if (path === undefined) return [];
  if (!isAbsolute(path))
    throw new NotPointed(`${variable} names a file relative to the working folder; make it absolute`);
  return [path];
}

/** The settings of providers, with what `{env:NAME}` and `{file:PATH}` stand for. */
function resolved(settings: JsonObject, folder: string | undefined, files: UserFiles, env: Environment): JsonObject {
  const providers = Object.entries(object(settings['provider'])).map(([name, each]) => {
    const { options, ...rest } = object(each);
    const known = Object.entries(object(options)).map(([option, value]) => [
      option,
      typeof value === 'string' ? meant(value, folder, files, env) : value,
    ]);
    return [name, { ...rest, options: Object.fromEntries(known) }];
  });
  return { ...settings, provider: Object.fromEntries(providers) };
}

function meant(text: string, folder: string | undefined, files: UserFiles, env: Environment): string {
  return text
    .replace(/\{env:([^{}]+)\}/g, (_, name: string) => env[name] ?? '')
    .replace(/\{file:([^{}]+)\}/g, (_, name: string) => {
      const path = name.startsWith('~/') ? join(homeFolder(env), name.slice(2)) : name;
      // Where the settings are a variable, a relative path is one of the checkout.
      if (folder === undefined && !isAbsolute(path))
        throw new NotPointed(`its settings name a file of the checkout: ${name}`);
      return files.text(resolve(folder ?? '/', path))?.trim() ?? '';
    });
}
