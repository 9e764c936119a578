import { json, key, otherKey, type PointingCase } from './case.ts';

const corp = (apiKey?: string, more: object = {}): object => ({
  provider: {
    corp: { npm: '@ai-sdk/openai-compatible', options: { baseURL: 'https://corp.example/v1', apiKey, ...more } },
  },
});
const model = 'corp/model';

/** OpenCode and its fork: `name` of the folders and files, `prefix` of the variables. */
const casesOf = (name: string, prefix: string): readonly PointingCase[] => {
  const main = `.config/${name}/${name}.json`;
  const auth = `.local/share/${name}/auth.json`;
  return [
    { title: 'a key in the environment', env: { ANTHROPIC_API_KEY: key }, ask: { model: 'anthropic/x' } },
    {
      title: 'keys of several providers',
      env: { OPENAI_API_KEY: key, GROQ_API_KEY: otherKey, AWS_BEARER_TOKEN_BEDROCK: 'aws-22222222222222' },
      ask: { model: 'openai/x' },
    },
    {
      title: 'a key of a provider that is not used',
      env: { OPENAI_API_KEY: key, AZURE_API_KEY: otherKey },
      ask: { model: 'openai/x' },
    },
    {
      title: 'another address in the environment',
      env: { ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: 'https://proxy.example/v1' },
      ask: { model: 'anthropic/x' },
    },
    {
      title: 'an address that was asked for',
      env: { OPENAI_API_KEY: key },
      ask: { model: 'openai/x', baseUrl: 'http://127.0.0.1:8080/v1', system: 'Be brief.' },
    },
    { title: 'no model', env: { OPENAI_API_KEY: key } },
    { title: 'a model without a provider', env: { OPENAI_API_KEY: key }, ask: { model: 'best' } },
    { title: 'no key', ask: { model: 'openai/x' } },
    { title: 'an own provider with its key in the file', files: { [main]: json({ model, ...corp(key) }) } },
    {
      title: 'comments and commas',
      files: {
        [`${main}c`]: `{ // mine\n "model": "${model}", "provider": { "corp": { "options": { "baseURL": "https://corp.example", /* "apiKey": "x", */ "apiKey": "${key}", }, }, }, }`,
      },
    },
    {
      title: 'a key in a variable that the file names',
      files: { [main]: json({ model, ...corp('{env:CORP_KEY}') }) },
      env: { CORP_KEY: key },
    },
    {
      title: 'a key in a file that the file names',
      files: { [main]: json({ model, ...corp('{file:~/.secrets/corp}') }), '.secrets/corp': `${key}\n` },
    },
    {
      title: 'a key in a file beside it',
      files: { [main]: json({ model, ...corp('{file:./corp.key}') }), [`.config/${name}/corp.key`]: key },
    },
    { title: 'a key that is a mere word', files: { [main]: json({ model, ...corp('ollama') }) } },
    { title: 'an own provider without a key', files: { [main]: json({ model, ...corp() }) } },
    {
      title: 'a header with a secret',
      files: { [main]: json({ model, ...corp(key, { headers: { Authorization: 'Basic x' } }) }) },
    },
    {
      title: 'a stored key',
      files: { [auth]: json({ openai: { type: 'api', key }, groq: { type: 'api', key: otherKey } }) },
      ask: { model: 'openai/x' },
    },
    {
      title: 'a stored key, which wins over the environment',
      files: { [auth]: json({ openai: { type: 'api', key } }) },
      env: { OPENAI_API_KEY: otherKey },
      ask: { model: 'openai/x' },
    },
    {
      title: 'stored keys in a variable',
      env: { [`${prefix}_AUTH_CONTENT`]: json({ openai: { type: 'api', key } }) },
      ask: { model: 'openai/x' },
    },
    {
      title: 'a login',
      files: { [auth]: json({ anthropic: { type: 'oauth', refresh: otherKey } }) },
      ask: { model: 'anthropic/x' },
    },
    {
      title: 'a login of another provider',
      files: { [auth]: json({ anthropic: { type: 'oauth', refresh: 'x' } }) },
      env: { OPENAI_API_KEY: key },
      ask: { model: 'openai/x' },
    },
    {
      title: 'requests that are signed',
      files: { [main]: json({ provider: { 'amazon-bedrock': { options: { region: 'x' } } } }) },
      ask: { model: 'amazon-bedrock/x' },
    },
    { title: 'a provider without an address', ask: { model: 'nobody/x' } },
    {
      title: 'settings in a variable',
      env: { [`${prefix}_CONFIG_CONTENT`]: json({ model, theme: 'x', ...corp(key) }) },
    },
    {
      title: 'settings in a file that a variable names',
      files: { '/etc/own.json': json({ model, ...corp(key) }) },
      env: { [`${prefix}_CONFIG`]: '/etc/own.json' },
    },
    { title: 'settings in a file of the checkout', env: { [`${prefix}_CONFIG`]: 'own.json' } },
    {
      title: 'settings in a variable that name a file of the checkout',
      env: { [`${prefix}_CONFIG_CONTENT`]: json({ model, ...corp('{file:./key}') }) },
    },
    {
      title: 'layers',
      files: { [main]: json({ model, ...corp(otherKey) }), [`.${name}/${name}.json`]: json(corp(key)) },
    },
    { title: 'a file that is not JSON', files: { [main]: `{ "apiKey": "${key}` }, ask: { model: 'openai/x' } },
    {
      title: 'a file with the wrong types',
      files: { [main]: json({ model: 3, provider: { openai: [], corp: { options: 'x' } } }), [auth]: '[]' },
      ask: { model: 'openai/x' },
    },
    {
      title: 'an address that is none',
      files: { [main]: json({ model, provider: { corp: { options: { baseURL: 'javascript:alert(1)' } } } }) },
    },
  ];
};

export const opencode = casesOf('opencode', 'OPENCODE');
export const kilo = casesOf('kilo', 'KILO');
