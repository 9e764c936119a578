import { join } from 'node:path';
import type { JsonObject } from '../../json/json.ts';
import { filled, isObject, object, string } from '../../json/read.ts';
import { present } from '../../json/present.ts';
import type { Environment } from '../../words/vocabulary.ts';
import type { Ask } from '../agent-cli.ts';
import { isAtLeast, splitModel, tomlString } from '../words.ts';
import { codexSettings } from './codex-settings.ts';
import { heldKeys, soundsLikeKey } from './held.ts';
import { type Destination, type Directions, NotPointed, type Pointed, type PointingPlace } from './pointing.ts';
import { given, routeOf } from './route-of.ts';
import { UserFiles, userFolder } from './user-files.ts';
import { type Provider, withOthers } from './with-others.ts';

const builtIn = 'openai';
const localServers = new Set(['ollama', 'lmstudio']);
const builtInAddress = 'https://api.openai.com/v1';
const loginAddress = 'https://chatgpt.com/backend-api/codex';
const azureHost = /\.azure\.com$|(?:^|\.)azure-api\.|\.azurefd\.net$|\.windows\.net$/;
/** Holds the token for a provider whose key is in its settings: a key in a variable wins over that one. */
const tokenVariable = 'RUNWIRE_WIRE_TOKEN';

interface CodexProvider extends Provider {
  /** The variable that it is to take its key from; undefined: it sends none, or what it has itself. */
  variable?: string | undefined;
  /** It must be told so. */
  namesVariable?: true;
  /** It is one of Azure's, which is known by its address, or else by its name. */
  isAzure?: true;
}

/** What is set by `--config` wins over all files, and a project's file can set no provider. */
export async function pointCodex(ask: Ask, place: PointingPlace): Promise<Pointed> {
  const files = new UserFiles(place);
  const home = userFolder(place.env, 'CODEX_HOME', '.codex');
  const settings = await codexSettings(ask.extraArgs, files, home);
  const login = await readLogin(files, home, place.env);
  const own = object(settings['model_providers']);
  const selected = selectedProvider(ask, settings);
  const find = (name: string): CodexProvider => {
    if (localServers.has(name))
      throw new NotPointed(`${name} is a server on this machine that it also asks for other things`);
    const baseUrl = name === selected ? ask.baseUrl : undefined;
    if (name === builtIn) return openAi(name, baseUrl ?? settings['openai_base_url'] ?? earlierAddress(place), login);
    return ownProvider(name, { ...object(own[name]), ...present({ base_url: baseUrl }) }, place.env, login);
  };
  const providers = withOthers(selected, [builtIn, ...Object.keys(own)], find);
  return {
    routes: providers.map(({ route }) => route),
    keys: providers[0]?.keys ?? 'passed',
    tried: true,
    remarks: [],
    direct: (to) => directions(providers, to, files, place),
  };
}

function directions(
  providers: readonly CodexProvider[],
  to: Destination,
  files: UserFiles,
  { env, version }: PointingPlace,
): Directions {
  const byVariable = providers.filter(({ route }) => route.name === builtIn && !isAtLeast(version, '0.118'));
  const variables = providers.flatMap(({ variable }) => variable ?? []);
  const held = heldKeys(providers, to.token, { env, files, variables: ['CODEX_API_KEY', 'CODEX_ACCESS_TOKEN'] });
  return {
    ...held,
    args: providers
      .filter((each) => !byVariable.includes(each))
      .flatMap(({ route: { name }, namesVariable, isAzure }) => [
        `--config=${name === builtIn ? 'openai_base_url' : `model_providers.${name}.base_url`}=${tomlString(to.address(name))}`,
        ...(isAzure === undefined ? [] : [`--config=model_providers.${name}.name="Azure"`]),
        ...(namesVariable === undefined
          ? []
          : [`--config=model_providers.${name}.env_key=${tomlString(tokenVariable)}`]),
      ]),
    env: {
      ...held.env,
      ...Object.fromEntries(variables.map((name) => [name, to.token])),
      ...Object.fromEntries(byVariable.map(({ route }) => ['OPENAI_BASE_URL', to.address(route.name)])),
    },
  };
}

function selectedProvider({ model }: Ask, settings: JsonObject): string {
  const { provider } = model === undefined ? { provider: undefined } : splitModel(model);
  // A model of OpenAI is asked of whichever provider is set: see the plan.
  return provider === undefined || provider === builtIn ? (filled(settings['model_provider']) ?? builtIn) : provider;
}

/** What it signs in to OpenAI with. */
type Login =
  | { key: string }
  | { key?: undefined; isChatGpt: true }
  | { key?: undefined; isChatGpt?: undefined; problem: string };

async function readLogin(files: UserFiles, home: string, env: Environment): Promise<Login> {
  const variable = given(env, 'CODEX_API_KEY');
  if (variable !== undefined) return { key: variable };
  if (given(env, 'CODEX_ACCESS_TOKEN') !== undefined) return { isChatGpt: true };
  const file = join(home, 'auth.json');
  const { auth_mode: mode, OPENAI_API_KEY: stored, tokens } = await files.settings(file, 'json');
  const key = mode === 'chatgpt' ? undefined : filled(stored);
  const isChatGpt = mode !== 'apikey' && isObject(tokens);
  if (key !== undefined && isChatGpt)
    return { problem: `${file} holds a key and a login; set CODEX_API_KEY to use a key` };
  if (key !== undefined) return { key };
  return isChatGpt ? { isChatGpt } : { problem: `no key was found; set CODEX_API_KEY` };
}

function openAi(name: string, baseUrl: unknown, login: Login): CodexProvider {
  const { key } = login;
  if (key === undefined && login.isChatGpt === undefined) throw new NotPointed(login.problem);
  const address =
    (typeof baseUrl === 'string' && baseUrl !== '' ? baseUrl : undefined) ??
    (key === undefined ? loginAddress : builtInAddress);
  const route = routeOf(name, address, key);
  return key === undefined ? { route, keys: 'passed' } : { route, keys: 'held', variable: 'CODEX_API_KEY' };
}

function ownProvider(name: string, provider: JsonObject, env: Environment, login: Login): CodexProvider {
  // Its own parser splits the path of a setting at every dot.
  if (!/^[\w-]+$/.test(name)) throw new NotPointed(`the name of its provider ${name} cannot be used in an argument`);
  if (isObject(provider['aws'])) throw new NotPointed(`its provider ${name} signs every request with a key of AWS`);
  if (isObject(provider['gateway_oauth'])) throw new NotPointed(`its provider ${name} has a login of its own`);
  const address = filled(provider['base_url']);
  if (provider['requires_openai_auth'] === true) return openAi(name, address, login);
  if (address === undefined) throw new NotPointed(`its settings have no address for the provider ${name}`);
  const variable = filled(provider['env_key']);
  const key = variable === undefined ? filled(provider['experimental_bearer_token']) : given(env, variable);
  const keys = hasOtherSecrets(provider) || isObject(provider['auth']) ? 'passed' : 'held';
  const route = routeOf(name, address, key);
  const azure = azureHost.test(new URL(route.upstream).hostname) ? ({ isAzure: true } as const) : {};
  if (key === undefined) return { route, ...azure, keys: variable === undefined ? keys : 'passed' };
  return {
    route,
    ...azure,
    keys,
    ...(variable === undefined ? { variable: tokenVariable, namesVariable: true } : { variable }),
  };
}

/** Headers that carry a secret of their own pass as they are. */
function hasOtherSecrets(provider: JsonObject): boolean {
  const fromVariables = Object.entries(object(provider['env_http_headers'])).flat();
  const names = [
    ...Object.keys(object(provider['http_headers'])),
    ...fromVariables.flatMap((name) => string(name) ?? []),
  ];
  return names.some(soundsLikeKey);
}

function earlierAddress({ env, version }: PointingPlace): string | undefined {
  return isAtLeast(version, '0.118') ? undefined : given(env, 'OPENAI_BASE_URL');
}
