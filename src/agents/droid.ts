import { notPointed } from './pointing/pointing.ts';
import type { AgentCli } from './agent-cli.ts';
import { flag, lacking, needsStdin, splitModel } from './words.ts';
import type { PermissionMode } from '../words/vocabulary.ts';

const title = 'Droid';

const modes: Record<PermissionMode, readonly string[]> = {
  'read-only': [],
  edit: ['--auto=low'],
  full: ['--skip-permissions-unsafe'],
};

export const droid: AgentCli = {
  id: 'droid',
  title,
  binaries: ['droid'],
  dialect: 'droid',
  install: 'npm install -g droid',
  versionArgs: ['--version'],
  helpArgs: ['exec', '--help'],
  tested: undefined,
  knownAt: '2026-11-15',
  passEnv: ['FACTORY_*', 'DROID_*'],
  keys: ['FACTORY_API_KEY'],
  logins: ['.factory/auth.json', '.factory/auth.encrypted'],
  tellsUsage: 'at its end',
  abilities: {
    model: true,
    resume: true,
    permissionModes: ['read-only', 'edit', 'full'],
    ownLimits: [],
    prompt: 'argument',
  },
  plan(ask) {
    const byStdin = needsStdin(ask.prompt);
    return {
      args: [
        'exec',
        '--output-format=stream-json',
        ...modes[ask.permissionMode],
        ...flag('model', ask.model === undefined ? undefined : splitModel(ask.model).name),
        ...flag('session-id', ask.resume),
        ...ask.extraArgs,
        ...(byStdin ? [] : ['--', ask.prompt]),
      ],
      env: {},
      stdin: byStdin ? ask.prompt : undefined,
      ownLimits: [],
      unsupported: lacking(title, ask, 'system', 'appendSystem', 'directories', 'baseUrl'),
    };
  },
  point: notPointed('it takes an address from its own settings file alone'),
};
