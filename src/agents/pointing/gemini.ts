import { join } from 'node:path';
import type { JsonObject } from '../../json/json.ts';
import { filled, object } from '../../json/read.ts';
import type { Environment } from '../../words/vocabulary.ts';
import type { Ask } from '../agent-cli.ts';
import { envFile } from './env-file.ts';
import { heldKeys } from './held.ts';
import { layered, setting } from './layers.ts';
import { type Directions, NotPointed, type Pointed, type PointingPlace } from './pointing.ts';
import { given, routeOf } from './route-of.ts';
import { UserFiles, userFolder } from './user-files.ts';
import type { Provider } from './with-others.ts';

const name = 'google';
const ownAddress = 'https://generativelanguage.googleapis.com';
const byKey = 'gemini-api-key';
const path = 'security.auth.selectedType';

/**
 * Without a person to ask, it refuses an address in the environment unless its settings say that it signs in with a key. If they say
 * nothing, it gets a folder of its own: settings that say so, and links to all else that is in the user's.
 */
export async function pointGemini(ask: Ask, place: PointingPlace): Promise<Pointed> {
  const files = new UserFiles(place);
  const home = userFolder(place.env, 'GEMINI_CLI_HOME');
  const folder = join(home, '.gemini');
  const settings = await files.settings(join(folder, 'settings.json'), 'jsonc');
  const env = withFiles(place.env, files, [folder, home]);
  const signsInBy = authOf(settings, env);
  const key = given(env, 'GEMINI_API_KEY');
  if (key === undefined) throw new NotPointed('no key was found; set GEMINI_API_KEY');
  const address = ask.baseUrl ?? given(env, 'GOOGLE_GEMINI_BASE_URL') ?? ownAddress;
  const provider: Provider = { route: routeOf(name, address, key), keys: 'held' };
  const isPrivate = signsInBy === undefined;
  return {
    routes: [provider.route],
    keys: 'held',
    tried: true,
    remarks:
      isPrivate && !place.list(folder).includes('tmp')
        ? [
            `Gemini CLI does not keep this session: set ${path} to ${byKey} in ${join(folder, 'settings.json')}, and it does.`,
          ]
        : [],
    direct(to): Directions {
      const held = heldKeys([provider], to.token, { env: place.env, files });
      return {
        ...held,
        env: {
          ...held.env,
          GEMINI_API_KEY: to.token,
          GOOGLE_GEMINI_BASE_URL: to.address(name),
          ...(isPrivate ? { GEMINI_CLI_HOME: to.folder } : {}),
        },
        ...(isPrivate ? privateHome(settings, folder, place.list(folder)) : {}),
      };
    },
  };
}

/** The way to sign in that its settings name; undefined: they name none, and a key in the environment decides. */
function authOf(settings: JsonObject, env: Environment): string | undefined {
  const auth = object(object(settings['security'])['auth']);
  const selected = filled(auth['selectedType']) ?? filled(settings['selectedAuthType']);
  if (selected !== undefined && selected !== byKey)
    throw new NotPointed(`its settings say that it signs in by ${selected}, not with a key`);
  if (auth['enforcedType'] !== undefined && auth['enforcedType'] !== byKey)
    throw new NotPointed('its settings want another way to sign in');
  if (selected !== undefined) return selected;
  for (const variable of ['GOOGLE_GENAI_USE_VERTEXAI', 'GOOGLE_GENAI_USE_GCA'])
    if (given(env, variable) === 'true') throw new NotPointed(`${variable} is set, so it does not sign in with a key`);
  return undefined;
}

/** Variables, and those of the user's `.env` files that are not set; it reads the first file that it finds. */
function withFiles(env: Environment, files: UserFiles, folders: readonly string[]): Environment {
  const found = folders.map((each) => envFile(files, join(each, '.env'))).find((each) => Object.keys(each).length > 0);
  return { ...found, ...env };
}

function privateHome(
  settings: JsonObject,
  folder: string,
  names: readonly string[],
): Pick<Directions, 'files' | 'links'> {
  const others = names.filter((each) => each !== 'settings.json');
  return {
    files: { '.gemini/settings.json': JSON.stringify(layered(settings, setting(path, byKey))) },
    links: Object.fromEntries(others.map((each) => [join('.gemini', each), join(folder, each)])),
  };
}
