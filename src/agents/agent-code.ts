import { notPointed } from './pointing/pointing.ts';
import type { AgentCli } from './agent-cli.ts';
import { flag, lacking, lackingMode, providerKeys, splitModel, tooLong } from './words.ts';
import type { PermissionMode } from '../words/vocabulary.ts';

const title = 'agent-code';

const modes: Record<PermissionMode, readonly string[]> = {
  'read-only': ['--permission-mode=plan'],
  // In a single run it allows whatever a mode would ask about, so `accept_edits` would allow commands as well.
  edit: ['--permission-mode=plan'],
  full: ['--dangerously-skip-permissions'],
};

export const agentCode: AgentCli = {
  id: 'agent-code',
  title,
  binaries: ['agent-code', 'agent'],
  dialect: 'agent-code',
  install: 'cargo install agent-code',
  versionArgs: ['--version'],
  helpArgs: ['--help'],
  tested: undefined,
  knownAt: '2026-11-15',
  // Cursor's program is called `agent` as well, and its versions are dates.
  isItsVersion: (version) => !/^20\d\d\./.test(version),
  passEnv: ['AGENT_CODE_*', ...providerKeys],
  keys: ['AGENT_CODE_API_KEY', ...providerKeys],
  logins: [],
  tellsUsage: 'while it runs',
  abilities: {
    model: true,
    resume: false,
    permissionModes: ['read-only', 'full'],
    ownLimits: ['turns'],
    prompt: 'argument',
  },
  plan(ask) {
    const { provider, name } =
      ask.model === undefined ? { provider: undefined, name: undefined } : splitModel(ask.model);
    return {
      args: [
        '--output-format=json',
        ...modes[ask.permissionMode],
        ...flag('provider', provider),
        ...flag('model', name),
        ...flag('max-turns', ask.maxTurns),
        ...flag('api-base-url', ask.baseUrl),
        ...ask.extraArgs,
        ...flag('prompt', ask.prompt),
      ],
      env: {},
      stdin: undefined,
      ownLimits: ask.maxTurns === undefined ? [] : ['turns'],
      unsupported: [
        ...lackingMode(title, ask, 'edit', 'it may only read; full lets it edit'),
        ...lacking(title, ask, 'resume', 'system', 'appendSystem', 'directories'),
      ],
      refused: tooLong(title, ask.prompt),
    };
  },
  point: notPointed('what it does at another address was never seen'),
};
