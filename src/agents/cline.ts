import type { AgentCli, Ask } from './agent-cli.ts';
import { isAtLeast, lacking, lackingMode, pair, providerKeys, splitModel, tooLong } from './words.ts';

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
  knownAt: '2026-11-15',
  passEnv: ['CLINE_*', ...providerKeys],
  keys: ['CLINE_API_KEY', ...providerKeys],
  logins: ['.cline/data/settings/providers.json', '.cline/data/secrets.json'],
  acp: { args: ['--acp'] },
  tellsUsage: 'while it runs',
  abilities: { model: true, resume: false, permissionModes: ['read-only', 'full'], ownLimits: [], prompt: 'argument' },
  plan(ask, version) {
    const isCurrent = isAtLeast(version, '3');
    return {
      args: ['--json', ...(isCurrent ? currentFlags(ask) : formerFlags(ask)), ...ask.extraArgs, '--', ask.prompt],
      env: { CLINE_NO_AUTO_UPDATE: '1' },
      // It treats a socket as no stdin at all, and a socket is what a child process of Node gets.
      stdin: undefined,
      ownLimits: [],
      unsupported: [
        ...lackingMode(title, ask, 'edit', 'it may only read; full lets it edit'),
        ...(ask.permissionMode === 'full'
          ? []
          : [`${title} may run commands that, by a list of its own, change nothing.`]),
        // Its output names no session that could be resumed.
        ...lacking(
          title,
          ask,
          'resume',
          'appendSystem',
          'directories',
          'baseUrl',
          ...(isCurrent ? [] : (['system'] as const)),
        ),
      ],
      refused: tooLong(title, ask.prompt),
    };
  },
  point: async (ask, place) => (await import('./pointing/cline.ts')).pointCline(ask, place),
};

function currentFlags(ask: Ask): string[] {
  const { provider, name } = ask.model === undefined ? { provider: undefined, name: undefined } : splitModel(ask.model);
  return [
    ...(ask.permissionMode === 'full' ? [] : ['--plan']),
    // Without it, even reading a file needs a person's approval; plan mode has no tool that edits.
    '--auto-approve',
    'true',
    ...pair('provider', provider),
    ...pair('model', name),
    ...pair('system', ask.system),
  ];
}

function formerFlags(ask: Ask): string[] {
  return [ask.permissionMode === 'full' ? '--yolo' : '--plan', ...pair('model', ask.model)];
}
