import type { AgentCli, Ask } from './agent-cli.ts';
import { flag, flags, isAtLeast, lacking, needsStdin, splitModel, tomlString, variables } from './words.ts';

const title = 'Codex';
const localProviders = new Set(['ollama', 'lmstudio']);

export const codex: AgentCli = {
  id: 'codex',
  title,
  binaries: ['codex'],
  dialect: 'codex',
  install: 'npm install -g @openai/codex',
  versionArgs: ['--version'],
  helpArgs: ['exec', '--help'],
  tested: '0.169.0',
  knownAt: '2026-11-18',
  passEnv: ['CODEX_*', 'OPENAI_API_KEY', 'OPENAI_BASE_URL', 'OPENAI_ORGANIZATION', 'OPENAI_PROJECT', 'RUST_LOG'],
  keys: ['CODEX_API_KEY', 'CODEX_ACCESS_TOKEN'],
  // `codex exec` never sends that one to its own provider; its configuration may name it for other providers.
  notKeys: { OPENAI_API_KEY: 'CODEX_API_KEY' },
  logins: ['.codex/auth.json'],
  sessionFiles: { variable: 'CODEX_HOME', home: '.codex', folder: 'sessions' },
  hidesModel: true,
  tellsUsage: 'at its end',
  abilities: {
    model: true,
    resume: true,
    permissionModes: ['read-only', 'edit', 'full'],
    ownLimits: [],
    prompt: 'argument',
  },
  plan(ask, version) {
    // It takes a lone hyphen for stdin, even after `--`.
    const byStdin = ask.prompt === '-' || needsStdin(ask.prompt);
    const prompt = byStdin ? '-' : ask.prompt;
    const baseUrlByVariable = !isAtLeast(version, '0.118');
    return {
      args: [
        'exec',
        // 0.42 had the new events alongside the old ones, under another flag.
        isAtLeast(version, '0.42') && !isAtLeast(version, '0.43') ? '--experimental-json' : '--json',
        '--skip-git-repo-check',
        ...permissionFlags(ask),
        ...modelFlags(ask),
        ...(ask.baseUrl === undefined || baseUrlByVariable ? [] : [baseUrlFlag(ask.baseUrl, ask.model)]),
        ...(ask.appendSystem === undefined ? [] : [`--config=developer_instructions=${tomlString(ask.appendSystem)}`]),
        ...(ask.permissionMode === 'edit' ? flags('add-dir', ask.directories) : []),
        ...ask.extraArgs,
        ...(ask.resume === undefined ? ['--', prompt] : ['resume', '--', ask.resume, prompt]),
      ],
      env: variables({ OPENAI_BASE_URL: baseUrlByVariable ? ask.baseUrl : undefined }),
      stdin: byStdin ? ask.prompt : undefined,
      ownLimits: [],
      unsupported: lacking(title, ask, 'system'),
    };
  },
  point: async (ask, place) => (await import('./pointing/codex.ts')).pointCodex(ask, place),
};

function permissionFlags({ permissionMode }: Ask): string[] {
  if (permissionMode === 'full') return ['--dangerously-bypass-approvals-and-sandbox'];
  return [
    `--sandbox=${permissionMode === 'edit' ? 'workspace-write' : 'read-only'}`,
    '--config=approval_policy="never"',
  ];
}

function modelFlags({ model }: Ask): string[] {
  if (model === undefined) return [];
  const { provider, name } = splitModel(model);
  if (provider === undefined || provider === 'openai') return flag('model', name);
  if (localProviders.has(provider)) return ['--oss', ...flag('local-provider', provider), ...flag('model', name)];
  return [`--config=model_provider=${tomlString(provider)}`, ...flag('model', name)];
}

function baseUrlFlag(baseUrl: string, model = ''): string {
  const { provider = 'openai' } = splitModel(model);
  const key = provider === 'openai' ? 'openai_base_url' : `model_providers.${provider}.base_url`;
  return `--config=${key}=${tomlString(baseUrl)}`;
}
