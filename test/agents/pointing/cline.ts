import { json, key, otherKey, type PointingCase } from './case.ts';

const path = '.cline/data/settings/providers.json';
const settings = (providers: Readonly<Record<string, object>>, lastUsedProvider?: string): string =>
  json({
    version: 1,
    lastUsedProvider,
    modes: {},
    providers: Object.fromEntries(
      Object.entries(providers).map(([name, each]) => [
        name,
        { settings: { provider: name, ...each }, tokenSource: 'manual' },
      ]),
    ),
  });
const corp = { 'openai-compatible': { apiKey: key, model: 'm', baseUrl: 'https://corp.example/v1' } };

export const cline: readonly PointingCase[] = [
  { title: 'the provider that was used last', files: { [path]: settings(corp, 'openai-compatible') } },
  {
    title: 'a provider that was asked for',
    files: { [path]: settings({ ...corp, anthropic: { apiKey: otherKey } }, 'openai-compatible') },
    ask: { model: 'anthropic/x' },
  },
  {
    title: 'a key in the environment',
    env: { ANTHROPIC_API_KEY: key, CLINE_API_KEY: otherKey },
    ask: { model: 'anthropic/x' },
  },
  { title: 'a login', files: { [path]: settings({ cline: { auth: { accessToken: otherKey } } }, 'cline') } },
  {
    title: 'a header with a secret',
    files: { [path]: settings({ corp: { ...corp['openai-compatible'], headers: { 'X-Token': 'T' } } }, 'corp') },
  },
  { title: 'a provider without an address', files: { [path]: settings({ bedrock: { apiKey: key } }, 'bedrock') } },
  {
    title: 'settings elsewhere',
    files: { '/own.json': settings(corp, 'openai-compatible') },
    env: { CLINE_PROVIDER_SETTINGS_PATH: '/own.json' },
  },
  { title: 'settings in the checkout', env: { CLINE_PROVIDER_SETTINGS_PATH: 'own.json' } },
  { title: 'a folder in the checkout', env: { CLINE_DIR: 'own' } },
  { title: 'no provider' },
  { title: 'a file that is not JSON', files: { [path]: `{ "apiKey": "${key}` } },
  { title: 'a file with the wrong types', files: { [path]: json({ lastUsedProvider: 'x', providers: { x: 1 } }) } },
];
