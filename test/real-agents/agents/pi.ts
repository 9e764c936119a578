import { key, type RealAgent } from '../agent.ts';

export const pi: RealAgent = {
  id: 'pi',
  package: '@mariozechner/pi-coding-agent',
  version: '0.73.1',
  format: 'chat',
  flags: ['--model', 'rig/rig-model'],
  home: ({ url }) => ({
    '.pi/agent/models.json': JSON.stringify({
      providers: {
        rig: {
          baseUrl: `${url}/v1`,
          api: 'openai-completions',
          apiKey: key,
          models: [
            {
              id: 'rig-model',
              reasoning: true,
              contextWindow: 128_000,
              maxTokens: 16_000,
              cost: { input: 1, output: 4, cacheRead: 0.1, cacheWrite: 1 },
            },
          ],
        },
      },
    }),
    '.pi/agent/settings.json': JSON.stringify({
      enableInstallTelemetry: false,
      quietStartup: true,
      retry: { maxRetries: 2, baseDelayMs: 200 },
    }),
  }),
  env: () => ({ PI_OFFLINE: '1', PI_SKIP_VERSION_CHECK: '1', PI_TELEMETRY: '0' }),
  keyInFile: true,
  hands: {
    shell: (command) => ({ name: 'bash', args: { command } }),
    read: (path) => ({ name: 'read', args: { path } }),
    write: (path, content) => ({ name: 'write', args: { path, content } }),
    edit: (path, oldText, newText) => ({ name: 'edit', args: { path, edits: [{ oldText, newText }] } }),
  },
  noReasoningTokens: true,
};
