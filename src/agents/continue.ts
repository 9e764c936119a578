import type { AgentCli } from './agent-cli.ts';
import { readContinueSession } from './continue-session.ts';
import { flag, lacking, providerKeys, size } from './words.ts';
import type { PermissionMode } from '../words/vocabulary.ts';

const title = 'Continue';

/**
 * In characters. It assumes a context of 200,000 tokens unless its configuration says otherwise, and when the prompt and the answer do not
 * fit, it silently replaces the prompt with a summary.
 */
const longestPrompt = 400_000;

/** Without a person to ask, it leaves out the tools that it would ask about. */
const modes: Record<PermissionMode, readonly string[]> = {
  // Its own --readonly lets commands run.
  'read-only': ['--exclude=Write', '--exclude=Edit', '--exclude=MultiEdit', '--exclude=Bash'],
  edit: ['--allow=Write', '--allow=Edit', '--allow=MultiEdit', '--exclude=Bash'],
  full: ['--auto'],
};

export const continueCli: AgentCli = {
  id: 'continue',
  title,
  binaries: ['cn'],
  dialect: 'continue',
  install: 'npm install -g @continuedev/cli',
  versionArgs: ['--version'],
  helpArgs: ['--help'],
  tested: '1.5.47',
  knownAt: '2026-11-15',
  passEnv: ['CONTINUE_*', ...providerKeys],
  keys: ['CONTINUE_API_KEY', ...providerKeys],
  logins: ['.continue/config.yaml', '.continue/auth.json'],
  tellsUsage: 'at its end',
  tellsTurnsAtEnd: true,
  sessionStore: {
    variable: 'CONTINUE_GLOBAL_DIR',
    home: '.continue',
    folder: 'sessions',
    suffix: '.json',
    read: readContinueSession,
  },
  abilities: {
    model: true,
    resume: true,
    permissionModes: ['read-only', 'edit', 'full'],
    ownLimits: [],
    prompt: 'stdin',
  },
  plan: (ask) => ({
    args: [
      '--print',
      '--format=json',
      ...modes[ask.permissionMode],
      ...flag('model', ask.model),
      // It can only resume the last session, or a copy of a named one.
      ...flag('fork', ask.resume),
      ...flag('rule', ask.appendSystem),
      ...ask.extraArgs,
    ],
    env: { CONTINUE_CLI_AUTO_UPDATED: 'true', CONTINUE_CLI_ENABLE_TELEMETRY: '0', CONTINUE_METRICS_ENABLED: '0' },
    stdin: ask.prompt,
    ownLimits: [],
    unsupported: lacking(title, ask, 'system', 'directories', 'baseUrl'),
    refused: tooMuch(ask.prompt),
  }),
  point: async (ask, place) => (await import('./pointing/continue.ts')).pointContinue(ask, place),
};

function tooMuch(prompt: string): string | undefined {
  if (prompt.length <= longestPrompt) return undefined;
  return `${title} drops a prompt of this size (${size(prompt)}) without a word; put it into a file and name the file`;
}
