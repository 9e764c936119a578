import type { AgentCli } from './agent-cli.ts';
import { lacking, providerKeys, providerSettings } from './words.ts';

const title = 'Dexter';

export const dexter: AgentCli = {
  id: 'dexter',
  title,
  binaries: ['dexter'],
  dialect: 'dexter',
  install: 'git clone https://github.com/virattt/dexter && cd dexter && bun install && bun link',
  versionArgs: ['--version'],
  helpArgs: ['--help'],
  tested: undefined,
  knownAt: '2026-11-15',
  recorded: '1.0.3',
  passEnv: [
    ...providerKeys,
    ...providerSettings,
    'OLLAMA_BASE_URL',
    'FINANCIAL_DATASETS_API_KEY',
    'EXASEARCH_API_KEY',
    'PERPLEXITY_API_KEY',
    'TAVILY_API_KEY',
    'DEXTER_*',
  ],
  keys: providerKeys,
  logins: [],
  tellsUsage: 'at its end',
  abilities: { model: false, resume: false, permissionModes: [], ownLimits: [], prompt: 'stdin' },
  plan: (ask) => ({
    args: ['--json', ...ask.extraArgs],
    env: { LANGSMITH_TRACING: 'false' },
    stdin: ask.prompt,
    ownLimits: [],
    unsupported: [
      ...(ask.permissionMode === 'full' ? [] : [`${title} has no permission modes: it may do all that its tools can.`]),
      ...lacking(title, ask, 'model', 'resume', 'system', 'appendSystem', 'directories', 'baseUrl'),
    ],
  }),
  point: async (_ask, place) =>
    (await import('./pointing/by-variables.ts')).pointByVariables(place, undefined, {
      name: 'openai',
      keyVariable: 'OPENAI_API_KEY',
      addressVariable: 'OPENAI_BASE_URL',
      address: 'https://api.openai.com/v1',
    }),
};
