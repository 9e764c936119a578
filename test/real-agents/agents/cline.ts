import { key, type RealAgent } from '../agent.ts';

export const cline: RealAgent = {
  id: 'cline',
  package: 'cline',
  version: '3.0.65',
  onDemand: true,
  format: 'chat',
  home: ({ url }) => ({
    '.cline/data/settings/providers.json': JSON.stringify({
      version: 1,
      lastUsedProvider: 'openai-compatible',
      modes: {},
      providers: {
        'openai-compatible': {
          settings: { provider: 'openai-compatible', apiKey: key, model: 'rig-model', baseUrl: `${url}/v1` },
          updatedAt: '2026-01-01T00:00:00.000Z',
          tokenSource: 'manual',
        },
      },
    }),
    '.cline/data/settings/global-settings.json': JSON.stringify({ telemetryOptOut: true, autoUpdateEnabled: false }),
  }),
  env: () => ({ CLINE_NO_AUTO_UPDATE: '1' }),
  keyInFile: true,
  hands: {
    shell: (command) => ({ name: 'run_commands', args: { commands: [command] } }),
    read: (path) => ({ name: 'read_files', args: { files: [{ path }] } }),
    write: (path, content) => ({ name: 'editor', args: { path, new_text: content } }),
    edit: (path, old_text, new_text) => ({ name: 'editor', args: { path, old_text, new_text } }),
  },
  noReasoningTokens: true,
  cannot: { resume: 'its stream names no session' },
  differs: {
    'disconnect-then-ok': { why: 'it does not try again after a stream that broke', is: 'provider', exit: 4 },
    'error-500-always': {
      why: 'the words of the server are all it tells, and these blame nobody',
      is: 'incomplete',
      exit: 8,
    },
  },
};
