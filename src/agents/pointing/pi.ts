import { join } from 'node:path';
import type { Json, JsonObject } from '../../json/json.ts';
import { filled, list, object, string } from '../../json/read.ts';
import type { Environment } from '../../words/vocabulary.ts';
import type { Ask } from '../agent-cli.ts';
import { splitModel } from '../words.ts';
import { hasSecretHeader, heldKeys } from './held.ts';
import { type Destination, type Directions, NotPointed, type Pointed, type PointingPlace } from './pointing.ts';
import type { KnownProvider } from './providers.ts';
import { given, routeOf } from './route-of.ts';
import { UserFiles, userFolder } from './user-files.ts';
import { type Provider, withOthers } from './with-others.ts';

/** The providers that it knows, all of whose models have one address. */
const builtIn: Readonly<Record<string, KnownProvider>> = {
  anthropic: { address: 'https://api.anthropic.com', keys: ['ANTHROPIC_API_KEY'] },
  openai: { address: 'https://api.openai.com/v1', keys: ['OPENAI_API_KEY'] },
  google: { address: 'https://generativelanguage.googleapis.com/v1beta', keys: ['GEMINI_API_KEY'] },
  groq: { address: 'https://api.groq.com/openai/v1', keys: ['GROQ_API_KEY'] },
  cerebras: { address: 'https://api.cerebras.ai/v1', keys: ['CEREBRAS_API_KEY'] },
  xai: { address: 'https://api.x.ai/v1', keys: ['XAI_API_KEY'] },
  openrouter: { address: 'https://openrouter.ai/api/v1', keys: ['OPENROUTER_API_KEY'] },
  deepseek: { address: 'https://api.deepseek.com', keys: ['DEEPSEEK_API_KEY'] },
  moonshotai: { address: 'https://api.moonshot.ai/v1', keys: ['MOONSHOT_API_KEY'] },
  zai: { address: 'https://api.z.ai/api/coding/paas/v4', keys: ['ZAI_API_KEY'] },
};

const extension = 'runwire-wire.ts';

interface PiProvider extends Provider {
  /** Its name for it. */
  provider: string;
  /** Its key is in the settings of the provider, which the extension replaces; others are in variables or stored. */
  isSet: boolean;
}

/** An extension gives a provider another address, and another key where the settings have one. */
export async function pointPi(ask: Ask, place: PointingPlace): Promise<Pointed> {
  const { env } = place;
  const files = new UserFiles(place);
  const folder = userFolder(env, 'PI_CODING_AGENT_DIR', '.pi', 'agent');
  const own = object((await files.settings(join(folder, 'models.json'), 'jsonc'))['providers']);
  const logins = await files.settings(join(folder, 'auth.json'), 'json');
  const settings = await files.settings(join(folder, 'settings.json'), 'jsonc');
  const used = ask.model === undefined ? filled(settings['defaultProvider']) : splitModel(ask.model).provider;
  if (used === undefined) throw new NotPointed('no provider is set; name the model as provider/name');
  const names = [...new Set([...Object.keys(own), ...Object.keys(logins), ...Object.keys(builtIn)])];
  const providers = withOthers(used, names, (name) => findProvider(name, object(own[name]), object(logins[name]), env));
  return {
    routes: providers.map(({ route }) => route),
    keys: providers[0]?.keys ?? 'passed',
    tried: true,
    remarks: [],
    direct: (to) => directions(providers, to, { files, env }),
  };
}

function findProvider(provider: string, own: JsonObject, login: JsonObject, env: Environment): PiProvider {
  if (login['type'] !== undefined && login['type'] !== 'api_key')
    throw new NotPointed(`it has a login for ${provider}`);
  if (provider === 'anthropic' && given(env, 'ANTHROPIC_OAUTH_TOKEN') !== undefined)
    throw new NotPointed('it has a login for anthropic');
  const known = Object.hasOwn(builtIn, provider) ? builtIn[provider] : undefined;
  const address = filled(own['baseUrl']) ?? known?.address;
  if (address === undefined) throw new NotPointed(`no address is known for its provider ${provider}`);
  if (list(own['models']).some((model) => object(model)['baseUrl'] !== undefined))
    throw new NotPointed(`models of its provider ${provider} have addresses of their own`);
  const stored = valueOf(login['key'], env);
  const variable = known?.keys.map((each) => given(env, each)).find((each) => each !== undefined);
  const set = valueOf(own['apiKey'], env);
  const key = stored ?? variable ?? set;
  const isMade = [login['key'], own['apiKey']].some((value) => string(value)?.startsWith('!') === true);
  // It knows some servers by a part of their address, so the address that it is given has the name of the server in it.
  const route = routeOf(provider, address, key);
  const name = `${provider}@${new URL(route.upstream).host}`;
  const isOpen = key === undefined && (known !== undefined || isMade);
  const keys = isOpen || isMade || hasSecretHeader(own['headers']) ? 'passed' : 'held';
  return {
    route: { ...route, name },
    keys,
    provider,
    isSet: key !== undefined && stored === undefined && variable === undefined,
  };
}

/** A value is a command, the name of a variable, or itself. */
function valueOf(value: Json | undefined, env: Environment): string | undefined {
  const text = filled(value);
  return text === undefined || text.startsWith('!') ? undefined : (given(env, text.replace(/^\$/, '')) ?? text);
}

function directions(
  providers: readonly PiProvider[],
  to: Destination,
  left: { files: UserFiles; env: Environment },
): Directions {
  const lines = providers.map(({ provider, route, isSet }) => {
    const config = { baseUrl: to.address(route.name), ...(isSet ? { apiKey: to.token } : {}) };
    return `  pi.registerProvider(${JSON.stringify(provider)}, ${JSON.stringify(config)});\n`;
  });
  const held = heldKeys(providers, to.token, { ...left, variables: ['AI_GATEWAY_API_KEY', 'OPENCODE_API_KEY'] });
  return {
    ...held,
    args: ['--extension', join(to.folder, extension)],
    files: { [extension]: `export default function (pi) {\n${lines.join('')}}\n` },
  };
}
