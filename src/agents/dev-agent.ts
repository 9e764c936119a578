import type { AgentCli } from './agent-cli.ts';
import { flag, lacking, tooLong, variables, withoutProvider } from './words.ts';

const title = 'dev-agent';
const branchFlag = 'parent-branch-id';

export const devAgent: AgentCli = {
  id: 'dev-agent',
  title,
  binaries: ['dev-agent', 'dev-agent-v2'],
  dialect: 'dev-agent',
  install:
    'git clone https://github.com/IANTHEREAL/code_agent && cd code_agent/dev_agent && go install ./cmd/dev-agent',
  versionArgs: ['--version'],
  helpArgs: ['--help'],
  tested: undefined,
  knownAt: '2026-11-15',
  passEnv: [
    'AZURE_OPENAI_*',
    'MCP_BASE_URL',
    'MCP_POLL_*',
    'PROJECT_NAME',
    'WORKSPACE_DIR',
    'GITHUB_TOKEN',
    'GIT_AUTHOR_NAME',
    'GIT_AUTHOR_EMAIL',
  ],
  keys: ['AZURE_OPENAI_API_KEY'],
  logins: [],
  tellsUsage: 'at its end',
  abilities: { model: true, resume: true, permissionModes: [], ownLimits: [], prompt: 'argument' },
  plan(ask) {
    const namesBranch = ask.resume !== undefined || ask.extraArgs.some((word) => word.includes(branchFlag));
    return {
      args: [
        '--stream-json',
        '--headless',
        ...flag(branchFlag, ask.resume),
        ...ask.extraArgs,
        ...flag('task', ask.prompt),
      ],
      env: variables({
        AZURE_OPENAI_DEPLOYMENT: withoutProvider(ask.model, 'azure', 'openai'),
        AZURE_OPENAI_BASE_URL: ask.baseUrl,
      }),
      stdin: undefined,
      ownLimits: [],
      unsupported: [
        ...(ask.permissionMode === 'full'
          ? []
          : [`${title} has no permission modes: it may do all that its tools can.`]),
        ...(namesBranch
          ? []
          : [`${title} needs a branch to start from: --agent-arg=--${branchFlag}=ID, or --resume ID.`]),
        ...lacking(title, ask, 'system', 'appendSystem', 'directories'),
      ],
      refused: tooLong(title, ask.prompt),
    };
  },
  point: async (ask, place) =>
    (await import('./pointing/by-variables.ts')).pointByVariables(place, ask.baseUrl, {
      name: 'azure',
      keyVariable: 'AZURE_OPENAI_API_KEY',
      addressVariable: 'AZURE_OPENAI_BASE_URL',
      address: undefined,
    }),
};
