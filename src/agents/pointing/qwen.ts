import { dirname, join } from 'node:path';
import type { JsonObject } from '../../json/json.ts';
import { filled } from '../../json/read.ts';
import type { Environment } from '../../words/vocabulary.ts';
import type { Ask } from '../agent-cli.ts';
import { heldKeys } from './held.ts';
import { type Destination, type Directions, NotPointed, type Pointed, type PointingPlace } from './pointing.ts';
import { type Entry, protocols, qwenSettings, type QwenSettings } from './qwen-settings.ts';
import { given, routeOf } from './route-of.ts';
import { UserFiles } from './user-files.ts';
import { type Provider, withOthers } from './with-others.ts';

/** Servers that it knows by their names, and asks in other words than the rest. */
const knownHosts =
  /(?:^|\.)(?:openai\.com|aliyuncs\.com|deepseek\.com|openrouter\.ai|modelscope\.cn|z\.ai|bigmodel\.cn|mistral\.ai|cerebras\.ai|fireworks\.ai|minimax\.io|minimaxi\.com|xiaomimimo\.com)$/;

interface QwenProvider extends Provider {
  /** The variable that it takes its key from. */
  variable: string;
  /** The variable with its address; unset: its address is in the settings. */
  addressVariable?: string;
}

/** Variables win over its settings, except over the models in them; those are pointed by settings of the machine, which win over all. */
export async function pointQwen(ask: Ask, place: PointingPlace): Promise<Pointed> {
  if (ask.extraArgs.some((word) => /^--openai-?(?:api-?key|base-?url)/i.test(word)))
    throw new NotPointed('its arguments name a key or an address; set OPENAI_API_KEY and OPENAI_BASE_URL instead');
  const files = new UserFiles(place);
  const settings = await qwenSettings(ask, files, place);
  const { protocol, entry, entries, env } = settings;
  const providers = withOthers(
    entry === undefined ? protocol : nameOf(entry),
    [...Object.keys(protocols), ...entries.map(nameOf)],
    (name): QwenProvider => {
      const found = entries.find((each) => nameOf(each) === name);
      return notAnthropic(
        found === undefined
          ? byVariables(name, env, name === protocol ? ask.baseUrl : undefined)
          : byEntry(name, found, env),
      );
    },
  );
  const special = providers
    .slice(0, 1)
    .map(({ route }) => new URL(route.upstream).hostname)
    .filter((host) => knownHosts.test(host));
  return {
    routes: providers.map(({ route }) => route),
    keys: providers[0]?.keys ?? 'passed',
    tried: special.length === 0,
    remarks: special.map(
      (host) =>
        `Qwen Code has ways of its own with ${host}, such as what it asks to be cached, and does not use them here.`,
    ),
    direct: (to) => directions(providers, to, settings, { files, env: place.env }),
  };
}

const nameOf = ({ list: name, index }: Entry): string => `${name}-${index + 1}`;

function notAnthropic(provider: QwenProvider): QwenProvider {
  if (/(?:^|\.)anthropic\.com$/.test(new URL(provider.route.upstream).hostname))
    throw new NotPointed('it sends its key to anthropic.com in another way than to any other address');
  return provider;
}

function byVariables(name: string, env: Environment, baseUrl: string | undefined): QwenProvider {
  const known = Object.hasOwn(protocols, name) ? protocols[name] : undefined;
  if (known === undefined) throw new NotPointed(`${name} is not known`);
  const key = given(env, known.key);
  const route = routeOf(name, baseUrl ?? given(env, known.addressVariable) ?? known.address, key);
  return {
    route,
    keys: key === undefined ? 'passed' : 'held',
    variable: known.key,
    addressVariable: known.addressVariable,
  };
}

function byEntry(name: string, { protocol, settings }: Entry, env: Environment): QwenProvider {
  const known = Object.hasOwn(protocols, protocol) ? protocols[protocol] : undefined;
  if (known === undefined) throw new NotPointed(`its model ${name} is reached by ${protocol}, not with a key`);
  const variable = filled(settings['envKey']) ?? known.key;
  const key = given(env, variable);
  const address = filled(settings['baseUrl']) ?? given(env, known.addressVariable) ?? known.address;
  return { route: routeOf(name, address, key), keys: key === undefined ? 'passed' : 'held', variable };
}

function directions(
  providers: readonly QwenProvider[],
  to: Destination,
  { entries, machine, machinePath }: QwenSettings,
  { files, env }: { files: UserFiles; env: Environment },
): Directions {
  const held = heldKeys(providers, to.token, { env, files });
  const isPointed = (entry: Entry): boolean => providers.some(({ route }) => route.name === nameOf(entry));
  return {
    ...held,
    env: {
      ...held.env,
      ...Object.fromEntries(
        providers.flatMap(({ route: { key }, variable }) => (key === undefined ? [] : [[variable, to.token]])),
      ),
      ...Object.fromEntries(
        providers.flatMap(({ route, addressVariable }) =>
          addressVariable === undefined ? [] : [[addressVariable, to.address(route.name)]],
        ),
      ),
      ...(entries.some(isPointed) ? machineFile(to, machinePath) : {}),
    },
    files: entries.some(isPointed)
      ? { 'settings.json': JSON.stringify({ ...machine, modelProviders: pointedEntries(entries, isPointed, to) }) }
      : {},
  };
}

/** Beside the settings of the machine are its defaults, which must be found where they were. */
function machineFile({ folder }: Destination, machinePath: string): Record<string, string> {
  return {
    QWEN_CODE_SYSTEM_SETTINGS_PATH: join(folder, 'settings.json'),
    QWEN_CODE_SYSTEM_DEFAULTS_PATH: join(dirname(machinePath), 'system-defaults.json'),
  };
}

/** All models, in their order, each with the address that it is to have. */
function pointedEntries(entries: readonly Entry[], isPointed: (entry: Entry) => boolean, to: Destination): JsonObject {
  const pointed = (entry: Entry): JsonObject =>
    isPointed(entry) ? { ...entry.settings, baseUrl: to.address(nameOf(entry)) } : entry.settings;
  return Object.fromEntries(
    Array.from(
      Map.groupBy(entries, (entry) => entry.list),
      ([name, models]) => [name, models.map(pointed)],
    ),
  );
}
