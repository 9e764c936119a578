import type { AgentCli, Ask } from './agent-cli.ts';
import { isAtLeast, lacking, lackingMode, needsStdin, pair, providerKeys, splitModel } from './words.ts';

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
  abilities: { model: true, resume: true, permissionModes: ['read-only', 'full'], ownLimits: [], prompt: 'argument' },
  plan(ask, version) {
    // By argument while it fits: it reads stdin from a pipe or a file, but takes a socket for none at all.
    const byStdin = needsStdin(ask.prompt);
    const isCurrent = isAtLeast(version, '3');
    return {
      args: ['--json', ...(isCurrent ? currentFlags(ask) : formerFlags(ask)), ...ask.extraArgs, ...(byStdin ? [] : ['--', ask.prompt])],
      env: { CLINE_NO_AUTO_UPDATE: '1' },
      stdin: byStdin ? ask.prompt : undefined,
      ownLimits: [],
      unsupported: [
        ...lackingMode(title, ask, 'edit', 'it may only read; full lets it edit'),
        ...(ask.permissionMode === 'full' ? [] : [`${title} may run commands that, by a list of its own, change nothing.`]),
        ...lacking(title, ask, 'appendSystem', 'directories', 'baseUrl', ...(isCurrent ? [] : (['system', 'resume'] as const))),
      ],
    };
  },
};

function currentFlags(ask: Ask): string[] {
  const { provider, name } = ask.model === undefined ? { provider: undefined, name: undefined } : splitModel(ask.model);
  return [
    ...(ask.permissionMode === 'full' ? [] : ['--plan']),
    // Without it reading a file needs a person; plan mode has no tool that edits.
    '--auto-approve',
    'true',
    ...pair('provider', provider),
    ...pair('model', name),
    ...pair('id', ask.resume),
    ...pair('system', ask.system),
  ];
}

function formerFlags(ask: Ask): string[] {
  return [ask.permissionMode === 'full' ? '--yolo' : '--plan', ...pair('model', ask.model)];
}
