import type { AgentCli } from './agent-cli.ts';
import { flag, flags, isAtLeast, needsStdin, variables, withoutProvider } from './words.ts';
import type { PermissionMode } from '../words/vocabulary.ts';

const title = 'Claude Code';

/** Without a person to ask, its modes refuse what they would ask about. */
const modes: Record<PermissionMode, readonly string[]> = {
  // A user's own settings may allow some commands and edits; what is disallowed here stays disallowed.
  'read-only': ['--permission-mode=default', '--disallowedTools=Bash,Edit,MultiEdit,NotebookEdit,Write'],
  edit: ['--permission-mode=acceptEdits'],
  full: ['--permission-mode=bypassPermissions'],
};

export const claude: AgentCli = {
  id: 'claude',
  title,
  binaries: ['claude'],
  dialect: 'claude',
  install: 'npm install -g @anthropic-ai/claude-code',
  versionArgs: ['--version'],
  helpArgs: ['--help'],
  tested: '2.1.326',
  knownAt: '2026-11-18',
  // Not every CLAUDE_CODE_ variable: those that Claude Code sets for its child processes make another Claude Code refuse to start.
  passEnv: [
    'ANTHROPIC_*',
    'CLAUDE_CONFIG_DIR',
    'CLAUDE_CODE_OAUTH_TOKEN',
    'CLAUDE_CODE_USE_*',
    'CLAUDE_CODE_SKIP_*',
    'CLAUDE_CODE_MAX_*',
    'CLAUDE_CODE_GIT_BASH_PATH',
    'MAX_THINKING_TOKENS',
    'BASH_DEFAULT_TIMEOUT_MS',
    'BASH_MAX_TIMEOUT_MS',
    'AWS_PROFILE',
    'AWS_REGION',
    'AWS_BEARER_TOKEN_BEDROCK',
    'CLOUD_ML_REGION',
    'VERTEX_REGION_*',
    'GOOGLE_APPLICATION_CREDENTIALS',
    'GOOGLE_CLOUD_PROJECT',
  ],
  keys: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN', 'AWS_BEARER_TOKEN_BEDROCK'],
  hiddenFlags: ['--max-turns'],
  logins: ['.claude/.credentials.json'],
  sessionTotals: { variable: 'CLAUDE_CONFIG_DIR', home: '.claude', folder: 'projects', type: 'cost-state' },
  tellsUsage: 'while it runs',
  abilities: {
    model: true,
    resume: true,
    permissionModes: ['read-only', 'edit', 'full'],
    ownLimits: ['turns', 'cost'],
    prompt: 'argument',
  },
  plan(ask, version) {
    const byStdin = needsStdin(ask.prompt);
    const limitsCost = ask.maxCostUsd !== undefined && isAtLeast(version, '2.0.28');
    return {
      args: [
        '--print',
        '--output-format=stream-json',
        // Without it, stream-json is refused.
        '--verbose',
        // A message line tells the beginning of its usage only; if the run is cut off before its result, this tells the rest.
        ...(isAtLeast(version, '1.0.109') ? ['--include-partial-messages'] : []),
        ...modes[ask.permissionMode],
        ...flag('model', withoutProvider(ask.model, 'anthropic')),
        ...flag('resume', ask.resume),
        ...flag('max-turns', ask.maxTurns),
        ...(limitsCost ? flag('max-budget-usd', ask.maxCostUsd) : []),
        ...flag('system-prompt', ask.system),
        ...flag('append-system-prompt', ask.appendSystem),
        ...flags('add-dir', ask.directories),
        ...ask.extraArgs,
        ...(byStdin ? [] : ['--', ask.prompt]),
      ],
      env: variables({
        ANTHROPIC_BASE_URL: ask.baseUrl,
        DISABLE_AUTOUPDATER: '1',
        DISABLE_ERROR_REPORTING: '1',
        DISABLE_TELEMETRY: '1',
      }),
      stdin: byStdin ? ask.prompt : undefined,
      ownLimits: [...(ask.maxTurns === undefined ? [] : ['turns' as const]), ...(limitsCost ? ['cost' as const] : [])],
      unsupported: [],
    };
  },
  point: async (ask, place) => (await import('./pointing/claude.ts')).pointClaude(ask, place),
};
