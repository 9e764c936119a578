import type { AgentCli, Ask } from './agent-cli.ts';
import { isAtLeast, lacking, lackingMode, pair, providerKeys, splitModel } from './words.ts';

const title = 'Cline';

export const cline: AgentCli = {
  id: 'cline',
  title,
  binaries: ['cline'],
  dialect: 'cline',
  install: 'npm install -g cline',
  versionArgs: ['--version'],
  helpArgs: ['--help'],
  tested: '3.0.65',
  passEnv: ['CLINE_*', ...providerKeys],
  keys: ['CLINE_API_KEY', ...providerKeys],
  logins: ['.cline/data/settings/providers.json', '.cline/data/secrets.json'],
  abilities: { model: true, resume: true, permissionModes: ['read-only', 'full'], ownLimits: [], prompt: 'stdin' },
  plan: (ask, version) => ({
    args: ['--json', ...(isAtLeast(version, '3') ? currentFlags(ask) : formerFlags(ask)), ...ask.extraArgs],
    env: { CLINE_NO_AUTO_UPDATE: '1' },
    stdin: ask.prompt,
    ownLimits: [],
    unsupported: [
      ...lackingMode(title, ask, 'edit', 'it may only read; full lets it edit'),
      ...lacking(title, ask, 'appendSystem', 'directories', 'baseUrl', ...(isAtLeast(version, '3') ? [] : (['system', 'resume'] as const))),
    ],
  }),
};

function currentFlags(ask: Ask): string[] {
  const { provider, name } = ask.model === undefined ? { provider: undefined, name: undefined } : splitModel(ask.model);
  return [
    ...(ask.permissionMode === 'full' ? ['--auto-approve', 'true'] : ['--plan', '--auto-approve', 'false']),
    ...pair('provider', provider),
    ...pair('model', name),
    ...pair('id', ask.resume),
    ...pair('system', ask.system),
  ];
}

function formerFlags(ask: Ask): string[] {
  return [ask.permissionMode === 'full' ? '--yolo' : '--plan', ...pair('model', ask.model)];
}
