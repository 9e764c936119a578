import { isAbsolute, join } from 'node:path';
import type { JsonObject } from '../../json/json.ts';
import { filled, isObject, list, object } from '../../json/read.ts';
import { homeFolder } from '../../files/xdg.ts';
import type { Environment } from '../../words/vocabulary.ts';
import type { Ask } from '../agent-cli.ts';
import { envFile } from './env-file.ts';
import { hasSecretHeader, heldKeys } from './held.ts';
import { NotPointed, type Pointed, type PointingPlace } from './pointing.ts';
import { knownProviders } from './providers.ts';
import { given, routeOf } from './route-of.ts';
import { UserFiles, userFolder } from './user-files.ts';
import type { Provider } from './with-others.ts';

/** Its names for providers that others call otherwise. */
const otherNames: Readonly<Record<string, string>> = {
  gemini: 'google',
  xAI: 'xai',
  together: 'togetherai',
  fireworks: 'fireworks-ai',
};
const copied = 'config.yaml';

/** It is started with a copy of its settings in which every model has another address and a token for a key. */
export async function pointContinue(ask: Ask, place: PointingPlace): Promise<Pointed> {
  const files = new UserFiles(place);
  const folder = userFolder(place.env, 'CONTINUE_GLOBAL_DIR', '.continue');
  const path = settingsPath(ask.extraArgs, folder, place.env);
  const settings = await files.settings(path, 'yaml');
  const models = list(settings['models']);
  if (models.length === 0) throw new NotPointed(`${path} has no models`);
  if (/"uses":"(?:file:|\.)/.test(JSON.stringify(settings)))
    throw new NotPointed(`${path} names other files by where it is itself`);
  const env = {
    ...envFile(files, join(homeFolder(place.env), '.env')),
    ...envFile(files, join(folder, '.env')),
    ...place.env,
  };
  // Which model it takes is also a matter of what was chosen last, so all must be known.
  const providers = models.map((model, index) => modelProvider(model, `model-${index + 1}`, env));
  const { stringify } = await import('yaml');
  return {
    routes: providers.map(({ route }) => route),
    keys: providers.every(({ keys }) => keys === 'held') ? 'held' : 'passed',
    tried: true,
    remarks: [],
    direct(to) {
      const pointed = providers.map(({ route: { name, key }, model }) => ({
        ...model,
        apiBase: `${to.address(name)}/`,
        ...(key === undefined ? {} : { apiKey: to.token }),
      }));
      return {
        ...heldKeys(providers, to.token, { env: place.env, files, variables: ['CONTINUE_API_KEY'] }),
        args: ['--config', join(to.folder, copied)],
        files: { [copied]: stringify({ ...settings, models: pointed }) },
      };
    },
  };
}

/** The file that `--config` names, or its own. */
function settingsPath(words: readonly string[], folder: string, env: Environment): string {
  const at = words.findIndex((word) => word === '--config' || word.startsWith('--config='));
  if (at === -1) return join(folder, 'config.yaml');
  const named = (words[at]?.slice('--config='.length) || words[at + 1]) ?? '';
  const path = named.startsWith('~/') ? join(homeFolder(env), named.slice(2)) : named;
  if (!isAbsolute(path)) throw new NotPointed('--config names no file by its whole path');
  return path;
}

function modelProvider(value: unknown, name: string, env: Environment): Provider & { model: JsonObject } {
  if (!isObject(value) || value['uses'] !== undefined)
    throw new NotPointed('its settings name a model that is described elsewhere');
  const provider = filled(value['provider']) ?? '';
  const known = wordOf(provider);
  const address = filled(value['apiBase']) ?? known?.address;
  if (address === undefined) throw new NotPointed(`no address is known for its provider ${provider}`);
  const key = secretOf(filled(value['apiKey']), env);
  const route = routeOf(name, address, key);
  if (new URL(route.upstream).hostname === 'api.openai.com')
    throw new NotPointed('it asks api.openai.com in other words than any other address');
  const isOpen = key === undefined && known !== undefined;
  const keys = isOpen || hasSecretHeader(object(value['requestOptions'])['headers']) ? 'passed' : 'held';
  return { route, keys, model: value };
}

const wordOf = (provider: string) => {
  const name = Object.hasOwn(otherNames, provider) ? (otherNames[provider] ?? provider) : provider;
  return Object.hasOwn(knownProviders, name) ? knownProviders[name] : undefined;
};

/** `${{ secrets.NAME }}` stands for a variable. */
function secretOf(text: string | undefined, env: Environment): string | undefined {
  if (text === undefined || !text.includes('${{')) return text;
  const [, name] = /^\$\{\{ *(?:secrets|inputs)\.(\w+) *\}\}$/.exec(text) ?? [];
  return name === undefined ? undefined : given(env, name);
}
