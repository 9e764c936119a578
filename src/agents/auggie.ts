import { notPointed } from './pointing/pointing.ts';
import type { AgentCli } from './agent-cli.ts';
import { flag, flags, lacking, lackingMode, splitModel, tooLong } from './words.ts';

const title = 'Auggie';

export const auggie: AgentCli = {
  id: 'auggie',
  title,
  binaries: ['auggie'],
  // What it prints is one result line with the fields of Claude Code's.
  dialect: 'claude',
  install: 'npm install -g @augmentcode/auggie',
  versionArgs: ['--version'],
  helpArgs: ['--help'],
  tested: undefined,
  knownAt: '2026-11-19',
  passEnv: ['AUGMENT_*'],
  keys: ['AUGMENT_SESSION_AUTH', 'AUGMENT_API_TOKEN'],
  logins: ['.augment/session.json'],
  tellsUsage: 'never',
  hidesModel: true,
  tellsTurnsAtEnd: true,
  abilities: {
    model: true,
    resume: true,
    permissionModes: ['read-only', 'full'],
    ownLimits: ['turns'],
    prompt: 'argument',
  },
  plan: (ask) => ({
    args: [
      '--print',
      '--output-format=json',
      // Printing runs every tool; asking has only tools that read.
      ...(ask.permissionMode === 'full' ? [] : ['--ask']),
      ...flag('model', ask.model === undefined ? undefined : splitModel(ask.model).name),
      ...flag('resume', ask.resume),
      ...flag('max-turns', ask.maxTurns),
      ...flags('add-workspace', ask.directories),
      ...ask.extraArgs,
      ...flag('instruction', ask.prompt),
    ],
    env: { AUGMENT_DISABLE_AUTO_UPDATE: '1' },
    stdin: undefined,
    ownLimits: ask.maxTurns === undefined ? [] : ['turns'],
    unsupported: [
      ...lackingMode(title, ask, 'edit', 'it only answers; full lets it edit'),
      ...lacking(title, ask, 'system', 'appendSystem', 'baseUrl'),
    ],
    refused: tooLong(title, ask.prompt),
  }),
  point: notPointed('it talks to its own servers, in a protocol of its own'),
};
