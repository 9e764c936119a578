import { notPointed } from './pointing/pointing.ts';
import type { AgentCli } from './agent-cli.ts';
import { lacking, lackingMode } from './words.ts';

const title = 'Amp';

export const amp: AgentCli = {
  id: 'amp',
  title,
  binaries: ['amp'],
  dialect: 'amp',
  install: 'npm install -g @ampcode/cli',
  versionArgs: ['--version'],
  helpArgs: ['--help'],
  tested: undefined,
  knownAt: '2026-11-15',
  passEnv: ['AMP_*'],
  keys: ['AMP_API_KEY'],
  logins: ['.local/share/amp/secrets.json'],
  waitsForLogin: true,
  tellsUsage: 'while it runs',
  abilities: { model: false, resume: true, permissionModes: ['edit', 'full'], ownLimits: [], prompt: 'stdin' },
  plan: (ask) => ({
    args: [
      ...(ask.resume === undefined ? [] : ['threads', 'continue', ask.resume]),
      '--execute',
      '--stream-json',
      ...(ask.permissionMode === 'full' ? ['--dangerously-allow-all'] : []),
      ...ask.extraArgs,
    ],
    env: { AMP_SKIP_UPDATE_CHECK: '1' },
    stdin: ask.prompt,
    ownLimits: [],
    unsupported: [
      ...lackingMode(title, ask, 'read-only', 'its own rules for tools decide; deny the others in its settings'),
      ...lacking(title, ask, 'model', 'system', 'appendSystem', 'directories', 'baseUrl'),
    ],
  }),
  point: notPointed('it asks its own server for more than models'),
};
