import type { AgentCli, Ask } from './agent-cli.ts';
import {
  flag,
  lacking,
  lackingMode,
  needsStdin,
  providerKeys,
  providerSettings,
  splitModel,
  variables,
} from './words.ts';

const title = 'Goose';

/** The variable that holds the address of a provider's server. */
const hosts: Readonly<Record<string, string>> = {
  openai: 'OPENAI_HOST',
  anthropic: 'ANTHROPIC_HOST',
  ollama: 'OLLAMA_HOST',
};

export const goose: AgentCli = {
  id: 'goose',
  title,
  binaries: ['goose'],
  dialect: 'goose',
  install: 'curl -fsSL https://github.com/block/goose/releases/download/stable/download_cli.sh | bash',
  versionArgs: ['--version'],
  helpArgs: ['run', '--help'],
  tested: undefined,
  knownAt: '2026-11-15',
  passEnv: [
    'GOOSE_*',
    ...providerKeys,
    ...providerSettings,
    'OPENAI_HOST',
    'ANTHROPIC_HOST',
    'DATABRICKS_HOST',
    'DATABRICKS_TOKEN',
  ],
  keys: [...providerKeys, 'GOOSE_PROVIDER__API_KEY', 'DATABRICKS_TOKEN'],
  logins: ['.config/goose/config.yaml'],
  tellsUsage: 'never',
  abilities: {
    model: true,
    resume: true,
    permissionModes: ['read-only', 'full'],
    ownLimits: ['turns'],
    prompt: 'argument',
  },
  plan(ask) {
    const byStdin = needsStdin(ask.prompt);
    const { provider, name } =
      ask.model === undefined ? { provider: undefined, name: undefined } : splitModel(ask.model);
    const host = hostOf(ask, provider);
    return {
      args: [
        'run',
        '--quiet',
        '--output-format=stream-json',
        ...flag('provider', provider),
        ...flag('model', name),
        ...(ask.resume === undefined ? [] : ['--resume', ...flag('name', ask.resume)]),
        ...flag('max-turns', ask.maxTurns),
        ...flag('system', ask.appendSystem),
        ...ask.extraArgs,
        ...(byStdin ? ['--instructions=-'] : flag('text', ask.prompt)),
      ],
      env: variables({
        // Every mode between these two asks, and draws the question on stdout.
        GOOSE_MODE: ask.permissionMode === 'full' ? 'auto' : 'chat',
        ...host,
      }),
      stdin: byStdin ? ask.prompt : undefined,
      ownLimits: ask.maxTurns === undefined ? [] : ['turns'],
      unsupported: [
        ...lackingMode(title, ask, 'edit', 'it runs without tools; full lets it edit'),
        ...lackingMode(title, ask, 'read-only', 'it runs without tools and can read nothing by itself'),
        ...lacking(title, ask, 'system', 'directories', ...(host === undefined ? (['baseUrl'] as const) : [])),
      ],
    };
  },
  point: async (ask, place) => (await import('./pointing/goose.ts')).pointGoose(ask, place),
};

function hostOf(ask: Ask, provider = ''): Record<string, string> | undefined {
  const variable = Object.hasOwn(hosts, provider) ? hosts[provider] : undefined;
  return ask.baseUrl === undefined || variable === undefined ? undefined : { [variable]: ask.baseUrl };
}
