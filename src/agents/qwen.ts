import type { AgentCli, Ask } from './agent-cli.ts';
import { flag, flags, isAtLeast, splitModel, variables } from './words.ts';
import type { PermissionMode } from '../words/vocabulary.ts';
import { present } from '../json/present.ts';

const title = 'Qwen Code';

const modes: Record<PermissionMode, readonly string[]> = {
  // Without a person to ask, `default` refuses what it would ask about; the tools are excluded in case a user's own settings allow them.
  'read-only': ['--approval-mode=default', '--exclude-tools=edit,write_file,notebook_edit,run_shell_command'],
  edit: ['--approval-mode=auto-edit'],
  full: ['--approval-mode=yolo'],
};

/** Our names of providers, and its names for the way to sign in to them. */
const authTypes: Readonly<Record<string, string>> = {
  openai: 'openai',
  'openai-compatible': 'openai',
  anthropic: 'anthropic',
  google: 'gemini',
  gemini: 'gemini',
};

export const qwen: AgentCli = {
  id: 'qwen',
  title,
  binaries: ['qwen'],
  dialect: 'qwen',
  install: 'npm install -g @qwen-code/qwen-code',
  versionArgs: ['--version'],
  helpArgs: ['--help'],
  tested: '0.24.4',
  knownAt: '2026-11-15',
  passEnv: [
    'QWEN_*',
    'OPENAI_*',
    'ANTHROPIC_*',
    'GEMINI_*',
    'DASHSCOPE_API_KEY',
    'BAILIAN_*',
    'GOOGLE_API_KEY',
    'GOOGLE_CLOUD_*',
  ],
  keys: ['OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'GEMINI_API_KEY', 'GOOGLE_API_KEY', 'DASHSCOPE_API_KEY'],
  sessionFiles: { variable: 'QWEN_RUNTIME_DIR', home: '.qwen', folder: 'projects' },
  logins: ['.qwen/oauth_creds.json', '.qwen/settings.json'],
  acp: { args: ['--acp'] },
  tellsUsage: 'while it runs',
  abilities: {
    model: true,
    resume: true,
    permissionModes: ['read-only', 'edit', 'full'],
    ownLimits: ['turns'],
    prompt: 'stdin',
  },
  // On stdin: it drops what follows `--`, and its `--prompt` is deprecated.
  plan(ask, version) {
    const { authType, name } = qwenModel(ask);
    return {
      args: [
        ...flag('output-format', isAtLeast(version, '0.3') ? 'stream-json' : 'json'),
        ...modes[ask.permissionMode],
        ...flag('auth-type', authType),
        ...flag('model', name),
        ...flag('resume', ask.resume),
        ...flag('max-session-turns', ask.maxTurns),
        ...flag('system-prompt', ask.system),
        ...flag('append-system-prompt', ask.appendSystem),
        ...flags('include-directories', ask.directories),
        ...ask.extraArgs,
      ],
      env: variables({
        // When it relaunches itself, a signal ends only the parent and leaves the rest behind.
        QWEN_CODE_NO_RELAUNCH: 'true',
        QWEN_TELEMETRY_ENABLED: 'false',
        QWEN_USAGE_STATISTICS_ENABLED: 'false',
        ...present({ [`${baseUrlPrefix(authType)}_BASE_URL`]: ask.baseUrl }),
      }),
      stdin: ask.prompt,
      ownLimits: ask.maxTurns === undefined ? [] : ['turns'],
      unsupported: [],
    };
  },
  point: async (ask, place) => (await import('./pointing/qwen.ts')).pointQwen(ask, place),
};

/** The way to sign in and the model that an ask comes to. */
export function qwenModel({ model }: Ask): { authType: string | undefined; name: string | undefined } {
  if (model === undefined) return { authType: undefined, name: undefined };
  const { provider = '', name } = splitModel(model);
  const authType = Object.hasOwn(authTypes, provider) ? authTypes[provider] : undefined;
  return { authType, name: authType === undefined && provider !== 'qwen' ? model : name };
}

function baseUrlPrefix(authType: string | undefined): string {
  if (authType === 'anthropic') return 'ANTHROPIC';
  return authType === 'gemini' ? 'GOOGLE_GEMINI' : 'OPENAI';
}
