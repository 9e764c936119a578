import { json, key, otherKey, type PointingCase } from './case.ts';

const [models, auth, settings] = ['.pi/agent/models.json', '.pi/agent/auth.json', '.pi/agent/settings.json'];
const corp = (apiKey?: string, more: object = {}): string =>
  json({
    providers: {
      corp: { baseUrl: 'https://corp.example/v1', api: 'openai-completions', apiKey, models: [{ id: 'm' }], ...more },
    },
  });
const ask = { model: 'corp/m' };

export const pi: readonly PointingCase[] = [
  { title: 'a key in the environment', env: { ANTHROPIC_API_KEY: key }, ask: { model: 'anthropic/x' } },
  {
    title: 'keys of several providers',
    env: { OPENAI_API_KEY: key, GROQ_API_KEY: otherKey, OPENCODE_API_KEY: 'opencode-222222222' },
    ask: { model: 'openai/x' },
  },
  {
    title: 'the provider that its settings name',
    files: { [settings]: json({ defaultProvider: 'openai' }) },
    env: { OPENAI_API_KEY: key },
  },
  { title: 'no provider', env: { OPENAI_API_KEY: key } },
  { title: 'an own provider with its key in the file', files: { [models]: `// mine\n${corp(key)}` }, ask },
  {
    title: 'an own provider with the name of a variable',
    files: { [models]: corp('CORP_KEY') },
    env: { CORP_KEY: key },
    ask,
  },
  { title: 'an own provider with a command', files: { [models]: corp('!get-key') }, ask },
  { title: 'a key that is a mere word', files: { [models]: corp('ollama') }, ask },
  { title: 'a header with a secret', files: { [models]: corp(key, { headers: { 'x-api-key': 'K' } }) }, ask },
  {
    title: 'models with addresses of their own',
    files: { [models]: corp(key, { models: [{ id: 'm', baseUrl: 'https://m.example' }] }) },
    ask,
  },
  {
    title: 'another address for a provider that it knows',
    files: { [models]: json({ providers: { openai: { baseUrl: 'https://proxy.example/v1' } } }) },
    env: { OPENAI_API_KEY: key },
    ask: { model: 'openai/x' },
  },
  {
    title: 'a stored key, which wins over the environment',
    files: { [auth]: json({ openai: { type: 'api_key', key } }) },
    env: { OPENAI_API_KEY: otherKey },
    ask: { model: 'openai/x' },
  },
  {
    title: 'a login',
    files: { [auth]: json({ anthropic: { type: 'oauth', refresh: otherKey } }) },
    ask: { model: 'anthropic/x' },
  },
  {
    title: 'a login in a variable',
    env: { ANTHROPIC_OAUTH_TOKEN: otherKey, ANTHROPIC_API_KEY: key },
    ask: { model: 'anthropic/x' },
  },
  { title: 'a provider without an address', ask: { model: 'amazon-bedrock/x' } },
  { title: 'a folder elsewhere', files: { '/own/models.json': corp(key) }, env: { PI_CODING_AGENT_DIR: '/own' }, ask },
  { title: 'a folder in the checkout', env: { PI_CODING_AGENT_DIR: './own' }, ask },
  {
    title: 'a name that is code',
    files: { [models]: json({ providers: { 'x", {}); evil("': { baseUrl: 'https://corp.example', apiKey: key } } }) },
    ask: { model: 'x", {}); evil("/m' },
  },
  { title: 'a file that is not JSON', files: { [models]: `{ "apiKey": "${key}` }, ask },
  {
    title: 'a file with the wrong types',
    files: { [models]: json({ providers: { corp: 'x', openai: [] } }) },
    env: { OPENAI_API_KEY: key },
    ask: { model: 'openai/x' },
  },
];
