import type { AgentCli } from './agent-cli.ts';
import { planOpenCode } from './opencode-plan.ts';
import { isAtLeast, providerKeys, providerSettings } from './words.ts';

const title = 'OpenCode';

export const opencode: AgentCli = {
  id: 'opencode',
  title,
  binaries: ['opencode'],
  dialect: 'opencode',
  install: 'npm install -g opencode-ai',
  versionArgs: ['--version'],
  helpArgs: ['run', '--help'],
  tested: '1.18.33',
  knownAt: '2026-11-15',
  passEnv: ['OPENCODE_*', ...providerKeys, ...providerSettings],
  keys: ['OPENCODE_API_KEY', 'OPENCODE_AUTH_CONTENT', ...providerKeys],
  logins: ['.local/share/opencode/auth.json', '.config/opencode/opencode.json', '.config/opencode/opencode.jsonc'],
  // By default it asks for no permission.
  acp: {
    args: ['acp'],
    env: {
      OPENCODE_DISABLE_AUTOUPDATE: 'true',
      OPENCODE_PERMISSION: JSON.stringify({ edit: 'ask', bash: 'ask', webfetch: 'ask', external_directory: 'ask' }),
    },
  },
  tellsUsage: 'while it runs',
  abilities: {
    model: true,
    resume: true,
    permissionModes: ['read-only', 'edit', 'full'],
    ownLimits: [],
    prompt: 'stdin',
  },
  plan(ask, version) {
    const autoFlag = isAtLeast(version, '1.17.12')
      ? '--auto'
      : isAtLeast(version, '1.4.0')
        ? '--dangerously-skip-permissions'
        : undefined;
    const plan = planOpenCode(ask, {
      title,
      prefix: 'OPENCODE',
      autoFlag,
      env: { OPENCODE_DISABLE_AUTOUPDATE: 'true' },
    });
    return isAtLeast(version, '0.11.3')
      ? plan
      : { ...plan, unsupported: [...plan.unsupported, `${title} before 0.11.3 cannot print JSON; update it.`] };
  },
  point: async (ask, place) =>
    (await import('./pointing/opencode.ts')).pointOpenCode(ask, place, {
      prefix: 'OPENCODE',
      folder: 'opencode',
      homeFolders: ['.opencode'],
      names: ['config.json', 'opencode.json', 'opencode.jsonc'],
    }),
};
