import type { AgentCli } from './agent-cli.ts';
import { planOpenCode } from './opencode-plan.ts';
import { providerKeys, providerSettings } from './words.ts';

const title = 'Kilo';

export const kilo: AgentCli = {
  id: 'kilo',
  title,
  binaries: ['kilo', 'kilocode'],
  dialect: 'kilo',
  install: 'npm install -g @kilocode/cli',
  versionArgs: ['--version'],
  helpArgs: ['run', '--help'],
  tested: '7.7.9',
  knownAt: '2026-11-18',
  passEnv: ['KILO_*', 'KILOCODE_*', ...providerKeys, ...providerSettings],
  keys: ['KILO_API_KEY', 'KILOCODE_TOKEN', ...providerKeys],
  logins: ['.local/share/kilo/auth.json', '.config/kilo/kilo.json', '.config/kilo/kilo.jsonc'],
  tellsUsage: 'while it runs',
  abilities: {
    model: true,
    resume: true,
    permissionModes: ['read-only', 'edit', 'full'],
    ownLimits: [],
    prompt: 'stdin',
  },
  plan: (ask) =>
    planOpenCode(ask, {
      title,
      prefix: 'KILO',
      autoFlag: '--auto',
      env: { KILO_DISABLE_AUTOUPDATE: 'true', KILO_TELEMETRY_LEVEL: 'off' },
    }),
  point: async (ask, place) =>
    (await import('./pointing/opencode.ts')).pointOpenCode(ask, place, {
      prefix: 'KILO',
      folder: 'kilo',
      homeFolders: ['.kilocode', '.kilo'],
      names: ['config.json', 'kilo.json', 'kilo.jsonc', 'opencode.json', 'opencode.jsonc'],
    }),
};
