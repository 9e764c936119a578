import { notPointed } from './pointing/pointing.ts';
import type { AgentCli } from './agent-cli.ts';
import { flag, isAtLeast, lacking, lackingMode, splitModel, tooLong } from './words.ts';
import type { PermissionMode } from '../words/vocabulary.ts';

const title = 'Cursor';

const modes: Record<PermissionMode, readonly string[]> = {
  'read-only': ['--mode=ask'],
  // Without --force it proposes edits and makes none.
  edit: [],
  full: ['--force'],
};

export const cursor: AgentCli = {
  id: 'cursor',
  title,
  binaries: ['cursor-agent'],
  dialect: 'cursor',
  install: 'curl https://cursor.com/install -fsS | bash',
  versionArgs: ['--version'],
  helpArgs: ['--help'],
  tested: undefined,
  knownAt: '2026-11-15',
  passEnv: ['CURSOR_*'],
  keys: ['CURSOR_API_KEY'],
  logins: ['.config/cursor/auth.json', '.cursor/cli-config.json'],
  tellsUsage: 'at its end',
  abilities: { model: true, resume: true, permissionModes: ['read-only', 'full'], ownLimits: [], prompt: 'argument' },
  plan: (ask, version) => ({
    args: [
      '--print',
      '--output-format=stream-json',
      ...modes[ask.permissionMode],
      // Since 2026 it asks whether to trust the folder.
      ...(isAtLeast(version, '2026') ? ['--trust'] : []),
      ...flag('model', ask.model === undefined ? undefined : splitModel(ask.model).name),
      ...flag('resume', ask.resume),
      ...ask.extraArgs,
      '--',
      ask.prompt,
    ],
    env: {},
    stdin: undefined,
    ownLimits: [],
    unsupported: [
      ...lackingMode(title, ask, 'edit', 'it only proposes edits; full lets it make them'),
      ...lacking(title, ask, 'system', 'appendSystem', 'directories', 'baseUrl'),
    ],
    refused: tooLong(title, ask.prompt),
  }),
  point: notPointed('it talks to its own servers, in a protocol of its own'),
};
