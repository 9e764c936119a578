import { notPointed } from './pointing/pointing.ts';
import type { AgentCli } from './agent-cli.ts';
import { flag, flags, lacking, lackingMode } from './words.ts';

const title = 'Kimi CLI';

export const kimi: AgentCli = {
  id: 'kimi',
  title,
  binaries: ['kimi'],
  dialect: 'kimi',
  install: 'uv tool install --python 3.13 kimi-cli',
  versionArgs: ['--version'],
  helpArgs: ['--help'],
  tested: undefined,
  knownAt: '2026-11-19',
  passEnv: ['KIMI_*', 'MOONSHOT_API_KEY'],
  keys: ['KIMI_API_KEY'],
  logins: ['.kimi/config.toml', '.kimi/credentials'],
  tellsUsage: 'never',
  abilities: {
    model: true,
    resume: true,
    permissionModes: ['read-only', 'full'],
    ownLimits: ['turns'],
    prompt: 'stdin',
  },
  plan: (ask) => ({
    args: [
      '--print',
      '--output-format=stream-json',
      // Printing approves every call; in plan mode it has only tools that read.
      ...(ask.permissionMode === 'full' ? [] : ['--plan']),
      ...flag('model', ask.model),
      ...flag('session', ask.resume),
      ...flag('max-steps-per-turn', ask.maxTurns),
      ...flags('add-dir', ask.directories),
      ...ask.extraArgs,
    ],
    env: {},
    stdin: ask.prompt,
    ownLimits: ask.maxTurns === undefined ? [] : ['turns'],
    unsupported: [
      ...lackingMode(title, ask, 'edit', 'it only plans; full lets it edit'),
      ...lacking(title, ask, 'system', 'appendSystem', 'baseUrl'),
    ],
  }),
  point: notPointed('which provider it asks is in its own settings alone'),
};
