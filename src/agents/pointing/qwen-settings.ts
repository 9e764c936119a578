import { join } from 'node:path';
import type { Json, JsonObject } from '../../json/json.ts';
import { filled, isObject, list, object, string } from '../../json/read.ts';
import { present } from '../../json/present.ts';
import { homeFolder } from '../../files/xdg.ts';
import type { Environment } from '../../words/vocabulary.ts';
import type { Ask } from '../agent-cli.ts';
import { qwenModel } from '../qwen.ts';
import { envFile } from './env-file.ts';
import { layered } from './layers.ts';
import { NotPointed, type PointingPlace } from './pointing.ts';
import { given } from './route-of.ts';
import { type UserFiles, userFolder } from './user-files.ts';

/** A way to sign in: its variables, and the address that is used when none is set. */
interface Protocol {
  key: string;
  addressVariable: string;
  address: string;
  /** Where the settings name no way, these variables together select this one: one of the first, and all of the second. */
  models: readonly string[];
  alsoNeeds: readonly string[];
}

export const protocols: Readonly<Record<string, Protocol>> = {
  openai: {
    key: 'OPENAI_API_KEY',
    addressVariable: 'OPENAI_BASE_URL',
    address: 'https://api.openai.com/v1',
    models: ['OPENAI_MODEL', 'QWEN_MODEL'],
    alsoNeeds: ['OPENAI_API_KEY', 'OPENAI_BASE_URL'],
  },
  gemini: {
    key: 'GEMINI_API_KEY',
    addressVariable: 'GOOGLE_GEMINI_BASE_URL',
    address: 'https://generativelanguage.googleapis.com',
    models: ['GEMINI_MODEL'],
    alsoNeeds: ['GEMINI_API_KEY'],
  },
  anthropic: {
    key: 'ANTHROPIC_API_KEY',
    addressVariable: 'ANTHROPIC_BASE_URL',
    address: 'https://api.anthropic.com',
    models: ['ANTHROPIC_MODEL'],
    alsoNeeds: ['ANTHROPIC_API_KEY', 'ANTHROPIC_BASE_URL'],
  },
};

/** A model in its settings, with an address and a key of its own. */
export interface Entry {
  /** Of the list that it is in, and its place there. */
  list: string;
  index: number;
  protocol: string;
  settings: JsonObject;
}

export interface QwenSettings {
  protocol: string;
  /** The model that is used, if its settings have an entry for it. */
  entry: Entry | undefined;
  entries: readonly Entry[];
  /** Variables, and what its files have for those that are not set. */
  env: Environment;
  /** The settings of the machine, and where they are. */
  machine: JsonObject;
  machinePath: string;
}

export async function qwenSettings(ask: Ask, files: UserFiles, place: PointingPlace): Promise<QwenSettings> {
  const home = userFolder(place.env, 'QWEN_HOME', '.qwen');
  const machinePath = given(place.env, 'QWEN_CODE_SYSTEM_SETTINGS_PATH') ?? '/etc/qwen-code/settings.json';
  const machine = await files.settings(machinePath, 'jsonc');
  const settings = layered(await files.settings(join(home, 'settings.json'), 'jsonc'), machine);
  const env = {
    ...textsOf(settings['env']),
    ...envFile(files, join(homeFolder(place.env), '.env')),
    ...envFile(files, join(home, '.env')),
    ...place.env,
  };
  const auth = object(object(settings['security'])['auth']);
  const { authType, name } = qwenModel(ask);
  const protocol = authType ?? filled(auth['selectedType']) ?? selectedBy(env);
  if (protocol === undefined) throw new NotPointed('neither its settings nor its variables say how it signs in');
  const known = Object.hasOwn(protocols, protocol) ? protocols[protocol] : undefined;
  if (known === undefined) throw new NotPointed(`it signs in by ${protocol}, not with a key`);
  const model =
    name ??
    filled(object(settings['model'])['name']) ??
    known.models.map((each) => given(env, each)).find((each) => each !== undefined);
  const entries = entriesOf(settings);
  const stored = present({ [known.key]: filled(auth['apiKey']), [known.addressVariable]: filled(auth['baseUrl']) });
  return {
    protocol,
    entry: entries.find((each) => each.protocol === protocol && each.settings['id'] === model),
    entries,
    env: { ...stored, ...env },
    machine,
    machinePath,
  };
}

function selectedBy(env: Environment): string | undefined {
  const isSet = (name: string): boolean => given(env, name) !== undefined;
  return Object.entries(protocols).find(
    ([, { models, alsoNeeds }]) => models.some(isSet) && alsoNeeds.every(isSet),
  )?.[0];
}

function entriesOf(settings: JsonObject): Entry[] {
  const mapped = object(settings['providerProtocol']);
  return Object.entries(object(settings['modelProviders'])).flatMap(([name, models]) =>
    list(models).flatMap((each, index) =>
      isObject(each) ? [{ list: name, index, protocol: string(mapped[name]) ?? name, settings: each }] : [],
    ),
  );
}

const textsOf = (value: Json | undefined): Record<string, string> =>
  Object.fromEntries(
    Object.entries(object(value)).flatMap(([name, each]) => (typeof each === 'string' ? [[name, each]] : [])),
  );
