import { key, type RealAgent } from '../agent.ts';

export const qwen: RealAgent = {
  id: 'qwen',
  package: '@qwen-code/qwen-code',
  version: '0.24.4',
  format: 'chat',
  home: () => ({
    '.qwen/settings.json': JSON.stringify({
      $version: 3,
      general: { enableAutoUpdate: false },
      security: { auth: { selectedType: 'openai' } },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
      model: { name: 'rig-model', generationConfig: { maxRetries: 2, retryInitialDelayMs: 200, retryMaxDelayMs: 500 } },
    }),
  }),
  env: ({ url }) => ({ OPENAI_API_KEY: key, OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: 'rig-model' }),
  takesNotes: true,
  hands: {
    shell: (command) => ({ name: 'run_shell_command', args: { command, description: 'A step' } }),
    read: (file_path) => ({ name: 'read_file', args: { file_path } }),
    write: (file_path, content) => ({ name: 'write_file', args: { file_path, content } }),
    edit: (file_path, old_string, new_string) => ({ name: 'edit', args: { file_path, old_string, new_string } }),
  },
  noReasoningTokens: true,
  differs: {
    'acp-sigint': { why: 'an answer that came when it was cancelled is not told', tokens: { input: 1200, output: 60 } },
    'sigint-tool': { why: 'it tells that the call was cancelled', tools: ['run_shell_command cancelled'] },
    'sigterm-tool': { why: 'it tells that the call was cancelled', tools: ['run_shell_command cancelled'] },
  },
};
