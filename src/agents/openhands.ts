import { notPointed } from './pointing/pointing.ts';
import type { AgentCli } from './agent-cli.ts';
import { flag, lacking, lackingMode, tooLong, variables } from './words.ts';

const title = 'OpenHands CLI';

export const openhands: AgentCli = {
  id: 'openhands',
  title,
  binaries: ['openhands'],
  dialect: 'openhands',
  install: 'uv tool install openhands --python 3.12',
  versionArgs: ['--version'],
  helpArgs: ['--help'],
  tested: undefined,
  knownAt: '2026-11-19',
  passEnv: ['LLM_*', 'OPENHANDS_*'],
  keys: ['LLM_API_KEY'],
  logins: ['.openhands/agent_settings.json'],
  tellsUsage: 'never',
  abilities: { model: true, resume: true, permissionModes: [], ownLimits: [], prompt: 'argument' },
  plan: (ask) => ({
    args: [
      '--headless',
      '--json',
      // Without it, a model and a key in variables are left aside.
      '--override-with-envs',
      ...flag('resume', ask.resume),
      ...ask.extraArgs,
      ...flag('task', ask.prompt),
    ],
    env: variables({ LLM_MODEL: ask.model, LLM_BASE_URL: ask.baseUrl }),
    stdin: undefined,
    ownLimits: [],
    unsupported: [
      ...lackingMode(title, ask, 'read-only', 'without a screen it approves everything'),
      ...lackingMode(title, ask, 'edit', 'without a screen it approves everything'),
      ...lacking(title, ask, 'system', 'appendSystem', 'directories'),
    ],
    refused: tooLong(title, ask.prompt),
  }),
  point: notPointed('which provider its address belongs to is part of the name of its model'),
};
