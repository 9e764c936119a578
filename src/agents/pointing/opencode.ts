import type { JsonObject } from '../../json/json.ts';
import { filled, object, string } from '../../json/read.ts';
import type { Environment } from '../../words/vocabulary.ts';
import type { Ask } from '../agent-cli.ts';
import { openCodeConfig } from '../opencode-plan.ts';
import { splitModel } from '../words.ts';
import { hasSecretHeader, heldKeys, withoutKeys } from './held.ts';
import { layered } from './layers.ts';
import { type OpenCodePlaces, openCodeSettings } from './opencode-settings.ts';
import { type Destination, type Directions, NotPointed, type Pointed, type PointingPlace } from './pointing.ts';
import { knownProviders } from './providers.ts';
import { given, routeOf } from './route-of.ts';
import { settingsIn, UserFiles } from './user-files.ts';
import { type Provider, withOthers } from './with-others.ts';

/** The settings in a variable win over those of the user, of a project and over stored logins. */
export async function pointOpenCode(ask: Ask, place: PointingPlace, places: OpenCodePlaces): Promise<Pointed> {
  const { env } = place;
  const files = new UserFiles(place);
  const { settings, logins } = await openCodeSettings(places, files, env);
  const model = ask.model ?? string(settings['model']) ?? '';
  const { provider: used } = splitModel(model);
  // It would take a provider by rules of its own, which the settings that point it change.
  if (used === undefined)
    throw new NotPointed('no model is set; name one as provider/name, with --model or in its settings');
  const own = object(settings['provider']);
  const names = [...new Set([...Object.keys(own), ...Object.keys(logins), ...Object.keys(knownProviders)])];
  const providers = withOthers(used, names, (name) => {
    const baseUrl = name === used && ask.model !== undefined ? ask.baseUrl : undefined;
    return findProvider(name, { own: object(own[name]), login: object(logins[name]), baseUrl, env });
  });
  const content = await contentOf(ask, places, env);
  return {
    routes: providers.map(({ route }) => route),
    keys: providers[0]?.keys ?? 'passed',
    tried: true,
    remarks: [],
    direct: (to) => directions(providers, to, { content, files, env, places }),
  };
}

interface Known {
  own: JsonObject;
  login: JsonObject;
  baseUrl: string | undefined;
  env: Environment;
}

function findProvider(name: string, { own, login, baseUrl, env }: Known): Provider {
  const options = object(own['options']);
  if (login['type'] !== undefined && login['type'] !== 'api') throw new NotPointed(`it has a login for ${name}`);
  if (/bedrock|vertex/.test(`${name} ${string(own['npm']) ?? ''}`))
    throw new NotPointed(`${name} wants requests that are signed`);
  const known = Object.hasOwn(knownProviders, name) ? knownProviders[name] : undefined;
  const variable = known?.addressVariable === undefined ? undefined : given(env, known.addressVariable);
  const address = baseUrl ?? filled(options['baseURL']) ?? filled(own['api']) ?? variable ?? known?.address;
  if (address === undefined) throw new NotPointed(`its settings have no address for ${name}`);
  const key =
    filled(options['apiKey']) ??
    filled(login['key']) ??
    known?.keys.map((each) => given(env, each)).find((each) => each !== undefined);
  const isNeeded = known !== undefined && key === undefined;
  return {
    route: routeOf(name, address, key),
    keys: isNeeded || hasSecretHeader(options['headers']) ? 'passed' : 'held',
  };
}

/** The settings that the variable holds already: those of the plan, or else the user's own. */
async function contentOf(ask: Ask, { prefix }: OpenCodePlaces, env: Environment): Promise<JsonObject> {
  const variable = `${prefix}_CONFIG_CONTENT`;
  return openCodeConfig(ask) ?? settingsIn(env[variable] ?? '', 'jsonc', variable);
}

interface Start {
  content: JsonObject;
  files: UserFiles;
  env: Environment;
  places: OpenCodePlaces;
}

function directions(
  providers: readonly Provider[],
  to: Destination,
  { content, files, env, places }: Start,
): Directions {
  const options = providers.map(({ route: { name, key } }) => [
    name,
    { options: { baseURL: to.address(name), ...(key === undefined ? {} : { apiKey: to.token }) } },
  ]);
  const logins = `${places.prefix}_AUTH_CONTENT`;
  const held = heldKeys(providers, to.token, { env, files });
  return {
    ...held,
    env: {
      ...held.env,
      ...(env[logins] === undefined ? {} : { [logins]: withoutKeys(env[logins], providers, to.token) }),
      [`${places.prefix}_CONFIG_CONTENT`]: withoutKeys(
        JSON.stringify(layered(content, { provider: Object.fromEntries(options) })),
        providers,
        to.token,
      ),
    },
  };
}
