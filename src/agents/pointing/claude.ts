import { join } from 'node:path';
import { filled, object } from '../../json/read.ts';
import type { Environment } from '../../words/vocabulary.ts';
import type { Ask } from '../agent-cli.ts';
import { heldKeys } from './held.ts';
import { NotPointed, type Pointed, type PointingPlace } from './pointing.ts';
import { given, routeOf } from './route-of.ts';
import { UserFiles, userFolder } from './user-files.ts';
import type { Provider } from './with-others.ts';

const name = 'anthropic';
const ownAddress = 'https://api.anthropic.com';
const keyVariables = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN'];
const otherClouds = [
  'CLAUDE_CODE_USE_BEDROCK',
  'CLAUDE_CODE_USE_VERTEX',
  'CLAUDE_CODE_USE_FOUNDRY',
  'CLAUDE_CODE_USE_MANTLE',
];
const settingsFile = 'settings.json';

/** Variables in its settings win over those of the process, so the address and the token stand in settings of ours, which win over the user's. */
export async function pointClaude(ask: Ask, place: PointingPlace): Promise<Pointed> {
  if (ask.extraArgs.some((word) => /^--settings(?:=|$)/.test(word)))
    throw new NotPointed('its arguments name settings of their own');
  const files = new UserFiles(place);
  const folder = userFolder(place.env, 'CLAUDE_CONFIG_DIR', '.claude');
  const settings = await files.settings(join(folder, 'settings.json'), 'json');
  const env = { ...place.env, ...variablesIn(object(settings['env'])) };
  const cloud = otherClouds.find((each) => given(env, each) !== undefined);
  if (cloud !== undefined) throw new NotPointed(`${cloud} is set, so its requests are signed`);
  const isMade = filled(settings['apiKeyHelper']) !== undefined;
  const set = keyVariables.filter((each) => given(env, each) !== undefined);
  if (set.length > 1) throw new NotPointed(`${set.join(' and ')} are both set; keep one`);
  const [variable] = set;
  if (variable === undefined && !isMade)
    throw new NotPointed('no key was found, and a login takes no other address; set ANTHROPIC_API_KEY');
  const key = variable === undefined ? undefined : given(env, variable);
  const address = ask.baseUrl ?? given(env, 'ANTHROPIC_BASE_URL') ?? ownAddress;
  const provider: Provider = { route: routeOf(name, address, key), keys: isMade ? 'passed' : 'held' };
  return {
    routes: [provider.route],
    keys: provider.keys,
    tried: false,
    remarks: [],
    direct(to) {
      // At an address that is not Anthropic's it would offer all tools of MCP servers at once.
      const ours = {
        ANTHROPIC_BASE_URL: to.address(name),
        ENABLE_TOOL_SEARCH: given(env, 'ENABLE_TOOL_SEARCH') ?? 'true',
        ...(variable === undefined ? {} : { [variable]: to.token }),
      };
      const held = heldKeys([provider], to.token, { env: place.env, files, variables: ['CLAUDE_CODE_OAUTH_TOKEN'] });
      return {
        ...held,
        args: [`--settings=${join(to.folder, settingsFile)}`],
        env: { ...held.env, ...ours },
        files: { [settingsFile]: JSON.stringify({ env: ours }) },
      };
    },
  };
}

const variablesIn = (values: Readonly<Record<string, unknown>>): Environment =>
  Object.fromEntries(
    Object.entries(values).flatMap(([each, value]) => (typeof value === 'string' ? [[each, value]] : [])),
  );
