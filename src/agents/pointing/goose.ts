import { join } from 'node:path';
import { filled } from '../../json/read.ts';
import type { Ask } from '../agent-cli.ts';
import { splitModel } from '../words.ts';
import { pointByVariables } from './by-variables.ts';
import { NotPointed, type Pointed, type PointingPlace } from './pointing.ts';
import { given } from './route-of.ts';
import { UserFiles, userFolder } from './user-files.ts';

/** Its providers whose server is a variable, with that variable, the one with the key, and the server that is used otherwise. */
const servers: Readonly<Record<string, readonly [server: string, key: string, address: string]>> = {
  openai: ['OPENAI_HOST', 'OPENAI_API_KEY', 'https://api.openai.com'],
  anthropic: ['ANTHROPIC_HOST', 'ANTHROPIC_API_KEY', 'https://api.anthropic.com'],
  google: ['GOOGLE_HOST', 'GOOGLE_API_KEY', 'https://generativelanguage.googleapis.com'],
};

/** Variables win over its settings. */
export async function pointGoose(ask: Ask, place: PointingPlace): Promise<Pointed> {
  const path = join(userFolder(place.env, 'XDG_CONFIG_HOME', '.config'), 'goose', 'config.yaml');
  const settings = await new UserFiles(place).settings(path, 'yaml');
  const ofModel = ask.model === undefined ? undefined : splitModel(ask.model).provider;
  const provider = ofModel ?? given(place.env, 'GOOSE_PROVIDER') ?? filled(settings['GOOSE_PROVIDER']);
  if (provider === undefined) throw new NotPointed('no provider is set; name the model as provider/name');
  const known = Object.hasOwn(servers, provider) ? servers[provider] : undefined;
  if (known === undefined) throw new NotPointed(`its provider ${provider} cannot be given another address`);
  const [addressVariable, keyVariable, address] = known;
  return pointByVariables(place, ask.baseUrl, {
    name: provider,
    keyVariable,
    addressVariable,
    address: filled(settings[addressVariable]) ?? address,
    end: '/',
  });
}
