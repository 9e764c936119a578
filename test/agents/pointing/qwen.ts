import { json, key, otherKey, type PointingCase } from './case.ts';

const settings = '.qwen/settings.json';
const by = (selectedType: string, more: object = {}): object => ({ security: { auth: { selectedType, ...more } } });
const env = { OPENAI_API_KEY: key, OPENAI_BASE_URL: 'https://corp.example/v1', OPENAI_MODEL: 'm' };
const models = {
  openai: [
    { id: 'm', envKey: 'CORP_KEY', baseUrl: 'https://corp.example/v1', name: 'Mine' },
    { id: 'n', envKey: 'OTHER_KEY', baseUrl: 'https://other.example' },
  ],
};

export const qwen: readonly PointingCase[] = [
  { title: 'variables alone', env },
  { title: 'settings that say how it signs in', files: { [settings]: json(by('openai')) }, env },
  {
    title: 'Anthropic elsewhere',
    files: { [settings]: json(by('anthropic')) },
    env: { ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: 'https://corp.example' },
  },
  { title: 'Anthropic itself', files: { [settings]: json(by('anthropic')) }, env: { ANTHROPIC_API_KEY: key } },
  { title: 'Gemini', files: { [settings]: json(by('gemini')) }, env: { GEMINI_API_KEY: key } },
  { title: 'OpenAI itself', files: { [settings]: json(by('openai')) }, env: { OPENAI_API_KEY: key } },
  {
    title: 'a provider that was asked for',
    files: { [settings]: json(by('openai')) },
    env: { ...env, ANTHROPIC_API_KEY: otherKey, ANTHROPIC_BASE_URL: 'https://a.example' },
    ask: { model: 'anthropic/x' },
  },
  {
    title: 'an address that was asked for',
    files: { [settings]: json(by('openai')) },
    env,
    ask: { baseUrl: 'http://127.0.0.1:8080/v1' },
  },
  {
    title: 'a key and an address in the settings',
    files: { [settings]: json(by('openai', { apiKey: key, baseUrl: 'https://corp.example/v1' })) },
  },
  {
    title: 'a model with an address and a key of its own',
    files: { [settings]: json({ ...by('openai'), model: { name: 'm' }, modelProviders: models }) },
    env: { CORP_KEY: key },
  },
  {
    title: 'two such models',
    files: { [settings]: json({ ...by('openai'), modelProviders: models }) },
    env: { CORP_KEY: key, OTHER_KEY: otherKey },
    ask: { model: 'qwen/n' },
  },
  {
    title: 'such a model, with its key in the settings',
    files: {
      [settings]: json({ ...by('openai'), env: { CORP_KEY: key }, model: { name: 'm' }, modelProviders: models }),
    },
  },
  {
    title: 'such a model under another name',
    files: {
      [settings]: json({
        ...by('openai'),
        model: { name: 'm' },
        providerProtocol: { corp: 'openai' },
        modelProviders: { corp: [{ id: 'm', baseUrl: 'https://corp.example' }] },
      }),
    },
    env: { OPENAI_API_KEY: key },
  },
  {
    title: 'settings of the machine',
    files: {
      [settings]: json(by('openai')),
      '/etc/qwen-code/settings.json': json({ tools: { x: 1 }, model: { name: 'm' }, modelProviders: models }),
    },
    env: { CORP_KEY: key },
  },
  {
    title: 'a key in its own file of variables',
    files: {
      [settings]: json(by('openai')),
      '.qwen/.env': `OPENAI_API_KEY=${key}\nOPENAI_BASE_URL=https://corp.example/v1`,
    },
  },
  {
    title: 'a key in an argument',
    files: { [settings]: json(by('openai')) },
    env,
    ask: { extraArgs: ['--openai-api-key', 'x'] },
  },
  { title: 'a login', files: { [settings]: json(by('qwen-oauth')) }, env },
  { title: 'Vertex', files: { [settings]: json(by('vertex-ai')) }, env },
  { title: 'nothing that says how it signs in', env: { OPENAI_API_KEY: key } },
  { title: 'no key', files: { [settings]: json(by('openai', { baseUrl: 'https://corp.example/v1' })) } },
  {
    title: 'a list with a name of every object',
    files: {
      [settings]: `{"security":{"auth":{"selectedType":"openai"}},"modelProviders":{"__proto__":[{"id":"x"}],"openai":[{"id":"m","baseUrl":"https://corp.example"}]},"model":{"name":"m"}}`,
    },
    env,
  },
  { title: 'a file that is not JSON', files: { [settings]: `{ "x": "${key}` }, env },
  {
    title: 'a file with the wrong types',
    files: { [settings]: json({ security: 1, modelProviders: { openai: 'x', gemini: [1] }, env: [] }) },
    env,
  },
];
