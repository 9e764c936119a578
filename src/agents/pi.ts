import type { AgentCli, Ask } from './agent-cli.ts';
import { lacking, pair, providerKeys, providerSettings, splitModel } from './words.ts';
import type { PermissionMode } from '../words/vocabulary.ts';

const title = 'pi';

/** It has no permissions; a tool is either present or not. */
const tools: Record<PermissionMode, string | undefined> = {
  'read-only': 'read,grep,find,ls',
  edit: 'read,grep,find,ls,edit,write',
  full: undefined,
};

export const pi: AgentCli = {
  id: 'pi',
  title,
  binaries: ['pi'],
  dialect: 'pi',
  install: 'npm install -g @mariozechner/pi-coding-agent',
  versionArgs: ['--version'],
  helpArgs: ['--help'],
  tested: '1.5.0',
  knownAt: '2026-11-18',
  passEnv: [
    'PI_*',
    ...providerKeys,
    ...providerSettings,
    'ANTHROPIC_OAUTH_TOKEN',
    'AI_GATEWAY_API_KEY',
    'OPENCODE_API_KEY',
  ],
  keys: [...providerKeys, 'ANTHROPIC_OAUTH_TOKEN', 'AI_GATEWAY_API_KEY', 'OPENCODE_API_KEY'],
  logins: ['.pi/agent/auth.json', '.pi/agent/models.json'],
  tellsUsage: 'while it runs',
  abilities: {
    model: true,
    resume: true,
    permissionModes: ['read-only', 'edit', 'full'],
    ownLimits: [],
    prompt: 'stdin',
  },
  // On stdin: it does not know `--`, and takes a word that begins with @ for a file.
  plan: (ask) => ({
    args: [
      // It may take what follows --print for a prompt, so another flag follows.
      '--print',
      '--mode',
      'json',
      ...pair('tools', tools[ask.permissionMode]),
      ...modelFlags(ask),
      ...pair('session', ask.resume),
      ...pair('system-prompt', ask.system),
      ...pair('append-system-prompt', ask.appendSystem),
      ...ask.extraArgs,
    ],
    env: { PI_SKIP_VERSION_CHECK: '1', PI_TELEMETRY: '0' },
    stdin: ask.prompt,
    ownLimits: [],
    unsupported: [
      ...lacking(title, ask, 'baseUrl'),
      ...(ask.permissionMode === 'edit' ? [`${title} does not keep its edits inside the working folder.`] : []),
    ],
  }),
  point: async (ask, place) => (await import('./pointing/pi.ts')).pointPi(ask, place),
};

function modelFlags({ model }: Ask): string[] {
  if (model === undefined) return [];
  const { provider, name } = splitModel(model);
  return [...pair('provider', provider), ...pair('model', name)];
}
