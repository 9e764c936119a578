import type { AgentCli } from './agent-cli.ts';
import { flag, flags, lacking, needsStdin, splitModel, variables } from './words.ts';
import type { PermissionMode } from '../words/vocabulary.ts';

const title = 'Copilot CLI';

const modes: Record<PermissionMode, readonly string[]> = {
  // Denied tools stay denied, whatever else is allowed.
  'read-only': ['--allow-all-tools', '--deny-tool=write', '--deny-tool=shell'],
  edit: ['--allow-all-tools', '--deny-tool=shell'],
  full: ['--allow-all'],
};

/** Types of model servers that it can talk to. */
const serverTypes = new Set(['openai', 'azure', 'anthropic']);

export const copilot: AgentCli = {
  id: 'copilot',
  title,
  binaries: ['copilot'],
  dialect: 'copilot',
  install: 'npm install -g @github/copilot',
  versionArgs: ['--version'],
  helpArgs: ['--help'],
  tested: '1.0.102',
  knownAt: '2026-11-18',
  passEnv: ['COPILOT_*', 'GH_TOKEN', 'GITHUB_TOKEN', 'GH_HOST'],
  keys: ['COPILOT_GITHUB_TOKEN', 'GH_TOKEN', 'GITHUB_TOKEN', 'COPILOT_PROVIDER_API_KEY'],
  logins: ['.copilot/config.json', '.config/gh/hosts.yml'],
  // With a model server of the user's own, no session offers a choice.
  acp: { args: ['--acp'], model: (name) => flag('model', splitModel(name).name) },
  tellsUsage: 'never',
  abilities: {
    model: true,
    resume: true,
    permissionModes: ['read-only', 'edit', 'full'],
    ownLimits: [],
    prompt: 'argument',
  },
  plan(ask) {
    const byStdin = needsStdin(ask.prompt);
    const { provider = '', name } = ask.model === undefined ? { name: undefined } : splitModel(ask.model);
    return {
      args: [
        '--output-format=json',
        '--no-ask-user',
        ...modes[ask.permissionMode],
        ...flag('model', name),
        ...flag('resume', ask.resume),
        ...flags('add-dir', ask.directories),
        ...ask.extraArgs,
        ...(byStdin ? [] : flag('prompt', ask.prompt)),
      ],
      env: variables({
        COPILOT_AUTO_UPDATE: 'false',
        COPILOT_PROVIDER_BASE_URL: ask.baseUrl,
        COPILOT_PROVIDER_TYPE: ask.baseUrl === undefined ? undefined : serverTypes.has(provider) ? provider : 'openai',
      }),
      stdin: byStdin ? ask.prompt : undefined,
      ownLimits: [],
      unsupported: lacking(title, ask, 'system', 'appendSystem'),
    };
  },
  point: async (ask, place) =>
    (await import('./pointing/by-variables.ts')).pointByVariables(place, ask.baseUrl, {
      name: 'own',
      keyVariable: 'COPILOT_PROVIDER_API_KEY',
      addressVariable: 'COPILOT_PROVIDER_BASE_URL',
      address: undefined,
    }),
};
