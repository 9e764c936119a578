import { json, key, otherKey, type PointingCase } from './case.ts';

const settings = '.claude/settings.json';

export const claude: readonly PointingCase[] = [
  { title: 'a key in the environment', env: { ANTHROPIC_API_KEY: key, OPENAI_API_KEY: otherKey } },
  {
    title: 'a token in the environment',
    env: { ANTHROPIC_AUTH_TOKEN: key, ANTHROPIC_BASE_URL: 'https://proxy.example' },
  },
  {
    title: 'a key in its settings, which wins',
    files: { [settings]: json({ env: { ANTHROPIC_API_KEY: key } }) },
    env: { ANTHROPIC_API_KEY: otherKey },
  },
  {
    title: 'another address in its settings',
    files: { [settings]: json({ env: { ANTHROPIC_BASE_URL: 'https://proxy.example/x' } }) },
    env: { ANTHROPIC_API_KEY: key },
  },
  { title: 'two keys', env: { ANTHROPIC_API_KEY: key, ANTHROPIC_AUTH_TOKEN: otherKey } },
  { title: 'a command that makes keys', files: { [settings]: json({ apiKeyHelper: 'get-key' }) } },
  { title: 'a login', env: { CLAUDE_CODE_OAUTH_TOKEN: otherKey } },
  { title: 'Bedrock', env: { ANTHROPIC_API_KEY: key, CLAUDE_CODE_USE_BEDROCK: '1' } },
  { title: 'settings in an argument', env: { ANTHROPIC_API_KEY: key }, ask: { extraArgs: ['--settings', '{}'] } },
  { title: 'a folder in the checkout', env: { ANTHROPIC_API_KEY: key, CLAUDE_CONFIG_DIR: '.claude' } },
  { title: 'a file that is not JSON', files: { [settings]: `{ "x": "${key}` }, env: { ANTHROPIC_API_KEY: key } },
  {
    title: 'a file with the wrong types',
    files: { [settings]: json({ env: [1], apiKeyHelper: 2 }) },
    env: { ANTHROPIC_API_KEY: key },
  },
];

const goosePath = '.config/goose/config.yaml';

export const goose: readonly PointingCase[] = [
  {
    title: 'a provider in its settings',
    files: { [goosePath]: 'GOOSE_PROVIDER: openai\nOPENAI_HOST: https://corp.example\n' },
    env: { OPENAI_API_KEY: key },
  },
  { title: 'a provider that was asked for', env: { ANTHROPIC_API_KEY: key }, ask: { model: 'anthropic/x' } },
  {
    title: 'a provider in a variable',
    env: { GOOSE_PROVIDER: 'google', GOOGLE_API_KEY: key, OPENAI_API_KEY: otherKey },
  },
  { title: 'a provider that cannot be pointed', env: { GOOSE_PROVIDER: 'databricks' } },
  { title: 'no key', env: { GOOSE_PROVIDER: 'openai' } },
  { title: 'no provider' },
  { title: 'a file that is not YAML', files: { [goosePath]: `x: [ "${key}` } },
];

export const copilot: readonly PointingCase[] = [
  {
    title: 'a model server of the user',
    env: { COPILOT_PROVIDER_API_KEY: key, COPILOT_PROVIDER_BASE_URL: 'https://corp.example/v1' },
  },
  { title: 'models of GitHub', env: { GH_TOKEN: otherKey } },
];

export const dexter: readonly PointingCase[] = [
  { title: 'a key in the environment', env: { OPENAI_API_KEY: key, ANTHROPIC_API_KEY: otherKey } },
  { title: 'no key' },
];

export const devAgent: readonly PointingCase[] = [
  {
    title: 'a server of Azure',
    env: { AZURE_OPENAI_API_KEY: key, AZURE_OPENAI_BASE_URL: 'https://me.openai.azure.com' },
  },
  { title: 'no address', env: { AZURE_OPENAI_API_KEY: key } },
];

/** Those that cannot be pointed. */
export const never: readonly PointingCase[] = [{ title: 'any settings', env: { OPENAI_API_KEY: key } }];
