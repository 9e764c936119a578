import { join } from 'node:path';
import type { JsonObject } from '../../json/json.ts';
import { filled, object } from '../../json/read.ts';
import type { Environment } from '../../words/vocabulary.ts';
import type { Ask } from '../agent-cli.ts';
import { splitModel } from '../words.ts';
import { hasSecretHeader, heldKeys } from './held.ts';
import { layered } from './layers.ts';
import { NotPointed, type Pointed, type PointingPlace } from './pointing.ts';
import type { KnownProvider } from './providers.ts';
import { given, routeOf } from './route-of.ts';
import { UserFiles, userFolder } from './user-files.ts';
import { type Provider, withOthers } from './with-others.ts';

/** The addresses that it uses itself, as far as they were seen. */
const builtIn: Readonly<Record<string, KnownProvider>> = {
  anthropic: { address: 'https://api.anthropic.com/v1', keys: ['ANTHROPIC_API_KEY'] },
  'openai-native': { address: 'https://api.openai.com/v1', keys: ['OPENAI_API_KEY'] },
  gemini: {
    address: 'https://generativelanguage.googleapis.com',
    keys: ['GEMINI_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY'],
  },
};

const copied = 'providers.json';

/**
 * It is given a copy of its providers. A daemon that an earlier run left would answer in its place, with the addresses of that run, so this
 * one looks for its own elsewhere.
 */
export async function pointCline(ask: Ask, place: PointingPlace): Promise<Pointed> {
  const { env } = place;
  const files = new UserFiles(place);
  const path = providersPath(env);
  const settings = await files.settings(path, 'json');
  const own = object(settings['providers']);
  const used =
    (ask.model === undefined ? undefined : splitModel(ask.model).provider) ?? filled(settings['lastUsedProvider']);
  if (used === undefined) throw new NotPointed('no provider is set; name the model as provider/name');
  const providers = withOthers(used, [...new Set([...Object.keys(own), ...Object.keys(builtIn)])], (name) =>
    findProvider(name, object(object(own[name])['settings']), env),
  );
  return {
    routes: providers.map(({ route }) => route),
    keys: providers[0]?.keys ?? 'passed',
    tried: true,
    remarks: [],
    direct(to) {
      const pointed = providers.map(({ route: { name, key } }) => [
        name,
        { settings: { provider: name, baseUrl: to.address(name), ...(key === undefined ? {} : { apiKey: to.token }) } },
      ]);
      const held = heldKeys(providers, to.token, { env, files, variables: ['CLINE_API_KEY'] });
      return {
        ...held,
        env: {
          ...held.env,
          CLINE_PROVIDER_SETTINGS_PATH: join(to.folder, copied),
          CLINE_HUB_DISCOVERY_PATH: join(to.folder, 'hub.json'),
          CLINE_HUB_PORT: '0',
        },
        files: { [copied]: JSON.stringify(layered(settings, { version: 1, providers: Object.fromEntries(pointed) })) },
      };
    },
  };
}

function providersPath(env: Environment): string {
  if (given(env, 'CLINE_PROVIDER_SETTINGS_PATH') !== undefined) return userFolder(env, 'CLINE_PROVIDER_SETTINGS_PATH');
  const data =
    given(env, 'CLINE_DATA_DIR') === undefined
      ? join(userFolder(env, 'CLINE_DIR', '.cline'), 'data')
      : userFolder(env, 'CLINE_DATA_DIR');
  return join(data, 'settings', copied);
}

function findProvider(name: string, settings: JsonObject, env: Environment): Provider {
  if (settings['auth'] !== undefined) throw new NotPointed(`it has a login for ${name}`);
  const known = Object.hasOwn(builtIn, name) ? builtIn[name] : undefined;
  const address = filled(settings['baseUrl']) ?? known?.address;
  if (address === undefined) throw new NotPointed(`no address is known for its provider ${name}`);
  const key =
    filled(settings['apiKey']) ?? known?.keys.map((each) => given(env, each)).find((each) => each !== undefined);
  const isOpen = key === undefined && known !== undefined;
  return {
    route: routeOf(name, address, key),
    keys: isOpen || hasSecretHeader(settings['headers']) ? 'passed' : 'held',
  };
}
