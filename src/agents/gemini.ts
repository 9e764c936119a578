import type { AgentCli } from './agent-cli.ts';
import { flag, flags, isAtLeast, lacking, needsStdin, variables, withoutProvider } from './words.ts';
import type { PermissionMode } from '../words/vocabulary.ts';

const title = 'Gemini CLI';

/** Without a person to ask, `default` leaves out the tools that it would ask about. */
const modes: Record<PermissionMode, string> = { 'read-only': 'default', edit: 'auto_edit', full: 'yolo' };

export const gemini: AgentCli = {
  id: 'gemini',
  title,
  binaries: ['gemini'],
  dialect: 'gemini',
  install: 'npm install -g @google/gemini-cli',
  versionArgs: ['--version'],
  helpArgs: ['--help'],
  tested: '0.61.0',
  knownAt: '2026-11-15',
  passEnv: ['GEMINI_*', 'GOOGLE_*'],
  keys: ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_APPLICATION_CREDENTIALS'],
  logins: ['.gemini/oauth_creds.json'],
  acp: {
    args: ['--acp'],
    env: { GEMINI_CLI_NO_RELAUNCH: 'true', GEMINI_CLI_TRUST_WORKSPACE: 'true', GEMINI_TELEMETRY_ENABLED: 'false' },
  },
  tellsUsage: 'at its end',
  abilities: {
    model: true,
    resume: true,
    permissionModes: ['read-only', 'edit', 'full'],
    ownLimits: [],
    prompt: 'argument',
  },
  plan(ask, version) {
    const byStdin = needsStdin(ask.prompt);
    const format = isAtLeast(version, '0.11') ? 'stream-json' : 'json';
    return {
      args: [
        ...(isAtLeast(version, '0.6') ? flag('output-format', format) : []),
        ...flag('approval-mode', modes[ask.permissionMode]),
        ...flag('model', withoutProvider(ask.model, 'google', 'gemini')),
        ...flag('resume', ask.resume),
        ...flags('include-directories', ask.directories),
        ...ask.extraArgs,
        // It drops what follows `--`.
        ...(byStdin ? [] : flag('prompt', ask.prompt)),
      ],
      env: variables({
        // When it relaunches itself, it ignores SIGINT and SIGTERM.
        GEMINI_CLI_NO_RELAUNCH: 'true',
        // The user named the folder; without this, an untrusted folder ends the run.
        GEMINI_CLI_TRUST_WORKSPACE: 'true',
        GEMINI_TELEMETRY_ENABLED: 'false',
        GOOGLE_GEMINI_BASE_URL: ask.baseUrl,
      }),
      stdin: byStdin ? ask.prompt : undefined,
      ownLimits: [],
      unsupported: [
        ...lacking(title, ask, 'system', 'appendSystem'),
        ...(ask.baseUrl === undefined
          ? []
          : [
              `${title} goes to another model server only if its settings say that it signs in with a key (security.auth.selectedType).`,
            ]),
        ...(isAtLeast(version, '0.6') ? [] : [`${title} before 0.6 cannot print JSON; update it.`]),
      ],
    };
  },
  point: async (ask, place) => (await import('./pointing/gemini.ts')).pointGemini(ask, place),
};
