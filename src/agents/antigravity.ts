import { notPointed } from './pointing/pointing.ts';
import type { AgentCli } from './agent-cli.ts';
import { flag, flags, lacking, splitModel, tooLong } from './words.ts';
import type { PermissionMode } from '../words/vocabulary.ts';

const title = 'Antigravity';

const modes: Record<PermissionMode, readonly string[]> = {
  'read-only': ['--mode=plan'],
  edit: ['--mode=accept-edits'],
  full: ['--dangerously-skip-permissions'],
};

export const antigravity: AgentCli = {
  id: 'antigravity',
  title,
  binaries: ['agy'],
  dialect: 'antigravity',
  install: 'curl -fsSL https://antigravity.google/cli/install.sh | bash',
  versionArgs: ['--version'],
  helpArgs: ['--help'],
  tested: undefined,
  knownAt: '2026-11-19',
  passEnv: ['AGY_*', 'ANTIGRAVITY_*'],
  keys: ['ANTIGRAVITY_API_KEY'],
  logins: ['.gemini/antigravity-cli'],
  tellsUsage: 'at its end',
  abilities: {
    model: true,
    resume: true,
    permissionModes: ['read-only', 'edit', 'full'],
    ownLimits: [],
    prompt: 'argument',
  },
  plan: (ask) => ({
    args: [
      '--output-format=stream-json',
      // Its own default is five minutes; how long a run may take is asked of Runwire.
      '--print-timeout=24h',
      ...modes[ask.permissionMode],
      ...flag('model', ask.model === undefined ? undefined : splitModel(ask.model).name),
      ...flag('conversation', ask.resume),
      ...flags('add-dir', ask.directories),
      ...ask.extraArgs,
      ...flag('print', ask.prompt),
    ],
    env: { AGY_CLI_DISABLE_AUTO_UPDATE: 'true' },
    stdin: undefined,
    ownLimits: [],
    unsupported: lacking(title, ask, 'system', 'appendSystem', 'baseUrl'),
    refused: tooLong(title, ask.prompt),
  }),
  point: notPointed('it talks to its own servers, in a protocol of its own'),
};
