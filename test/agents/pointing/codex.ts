import { json, key, otherKey, type PointingCase } from './case.ts';

const provider = (name: string, ...lines: readonly string[]): string =>
  [`[model_providers.${name}]`, `base_url = "https://${name}.example/v1"`, ...lines, ''].join('\n');

const corp = (...lines: readonly string[]): Record<string, string> => ({
  '.codex/config.toml': `model_provider = "corp"\n\n${provider('corp', ...lines)}`,
});

export const codex: readonly PointingCase[] = [
  { title: 'a key in the environment', env: { CODEX_API_KEY: key, OPENAI_API_KEY: otherKey } },
  { title: 'a key in its own file', files: { '.codex/auth.json': json({ OPENAI_API_KEY: key }) } },
  {
    title: 'a key in a file elsewhere',
    files: { '/codex/auth.json': json({ OPENAI_API_KEY: key }) },
    env: { CODEX_HOME: '/codex' },
  },
  { title: 'a folder in the checkout', files: {}, env: { CODEX_HOME: '.codex', CODEX_API_KEY: key } },
  {
    title: 'a login',
    files: { '.codex/auth.json': json({ auth_mode: 'chatgpt', OPENAI_API_KEY: otherKey, tokens: {} }) },
  },
  { title: 'a key and a login', files: { '.codex/auth.json': json({ OPENAI_API_KEY: otherKey, tokens: {} }) } },
  { title: 'a token for a login', env: { CODEX_ACCESS_TOKEN: key } },
  {
    title: 'a login, and a key that wins',
    files: { '.codex/auth.json': json({ tokens: {} }) },
    env: { CODEX_API_KEY: key },
  },
  { title: 'nothing at all' },
  {
    title: 'another address for OpenAI',
    files: { '.codex/config.toml': 'openai_base_url = "https://proxy.example/openai/"' },
    env: { CODEX_API_KEY: key },
  },
  { title: 'an address that was asked for', env: { CODEX_API_KEY: key }, ask: { baseUrl: 'http://127.0.0.1:8080/v1' } },
  {
    title: 'a version that takes its address from a variable',
    env: { CODEX_API_KEY: key, OPENAI_BASE_URL: 'https://proxy.example/v1' },
    version: '0.117.0',
  },
  {
    title: 'a version that does not',
    env: { CODEX_API_KEY: key, OPENAI_BASE_URL: 'https://proxy.example/v1' },
  },
  {
    title: 'an own provider with a variable',
    files: corp('env_key = "CORP_KEY"'),
    env: { CORP_KEY: key, CODEX_API_KEY: otherKey },
  },
  { title: 'an own provider whose variable is not set', files: corp('env_key = "CORP_KEY"') },
  { title: 'an own provider with its key in the file', files: corp(`experimental_bearer_token = "${key}"`) },
  { title: 'an own provider without a key', files: corp() },
  {
    title: 'an own provider with the key for OpenAI',
    files: corp('requires_openai_auth = true'),
    env: { CODEX_API_KEY: key },
  },
  {
    title: 'a header with a secret',
    files: corp('env_key = "CORP_KEY"', 'env_http_headers = { X-Tenant-Token = "T" }'),
    env: { CORP_KEY: key },
  },
  {
    title: 'a header without one',
    files: corp('env_key = "CORP_KEY"', 'http_headers = { X-Team = "blue" }'),
    env: { CORP_KEY: key },
  },
  { title: 'a command that makes keys', files: corp('auth = { command = "get-key" }') },
  {
    title: 'Azure, which is known by its address',
    files: {
      '.codex/config.toml':
        'model_provider = "az"\n[model_providers.az]\nbase_url = "https://me.openai.azure.com/openai"\nenv_key = "AZ"',
    },
    env: { AZ: key },
  },
  { title: 'keys of AWS', files: corp('aws = { profile = "x" }') },
  { title: 'a provider that is not there', files: { '.codex/config.toml': 'model_provider = "gone"' } },
  {
    title: 'a provider whose name has a dot',
    files: { '.codex/config.toml': 'model_provider = "a.b"\n[model_providers."a.b"]\nbase_url = "https://x.example"' },
  },
  {
    title: 'a second provider that has a key, and a third that has none',
    files: { '.codex/config.toml': `${provider('one', 'env_key = "ONE"')}${provider('two', 'env_key = "TWO"')}` },
    env: { CODEX_API_KEY: key, ONE: otherKey },
  },
  {
    title: 'a model of an own provider',
    files: corp('env_key = "CORP_KEY"'),
    env: { CORP_KEY: key, CODEX_API_KEY: otherKey },
    ask: { model: 'corp/x' },
  },
  {
    title: 'a model of OpenAI, from whichever provider is set',
    files: corp('env_key = "CORP_KEY"'),
    env: { CORP_KEY: key },
    ask: { model: 'openai/x' },
  },
  { title: 'a local model', ask: { model: 'ollama/qwen3' } },
  { title: 'a local model, by a flag', ask: { extraArgs: ['--oss'] } },
  {
    title: 'a profile in the main file',
    files: {
      '.codex/config.toml': `profile = "work"\n[profiles.work]\nmodel_provider = "one"\n${provider('one', 'env_key = "ONE"')}`,
    },
    env: { ONE: key },
  },
  {
    title: 'a profile in a file of its own',
    files: {
      '.codex/work.config.toml': `model_provider = "one"\n${provider('one', `experimental_bearer_token = "${key}"`)}`,
    },
    ask: { extraArgs: ['-p', 'work'] },
  },
  { title: 'a profile whose name leads elsewhere', ask: { extraArgs: ['--profile=../../project/x'] } },
  {
    title: 'a provider in the arguments',
    env: { ONE: key },
    ask: {
      extraArgs: [
        '-c',
        'model_provider=one',
        '--config',
        'model_providers.one={ base_url = "https://one.example", env_key = "ONE" }',
      ],
    },
  },
  {
    title: 'settings of the machine',
    files: { '/etc/codex/config.toml': 'openai_base_url = "https://proxy.example/v1"' },
    env: { CODEX_API_KEY: key },
  },
  { title: 'a file that is not TOML', files: { '.codex/config.toml': `key = "${key}` } },
  {
    title: 'a file with the wrong types',
    files: { '.codex/config.toml': 'model_provider = 3\nmodel_providers = "x"\nopenai_base_url = []' },
    env: { CODEX_API_KEY: key },
  },
  {
    title: 'an address that is none',
    files: { '.codex/config.toml': 'openai_base_url = "file:///etc/passwd"' },
    env: { CODEX_API_KEY: key },
  },
  {
    title: 'an address with a password',
    files: { '.codex/config.toml': 'openai_base_url = "https://me:secret@x.example"' },
    env: { CODEX_API_KEY: key },
  },
];
