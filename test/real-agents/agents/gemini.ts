import { key, type RealAgent } from '../agent.ts';

export const gemini: RealAgent = {
  id: 'gemini',
  package: '@google/gemini-cli',
  version: '0.61.0',
  format: 'gemini',
  flags: ['--model', 'gemini-2.5-pro'],
  home: () => ({
    '.gemini/settings.json': JSON.stringify({
      general: { enableAutoUpdate: false, enableAutoUpdateNotification: false, maxAttempts: 3 },
      security: { auth: { selectedType: 'gemini-api-key' } },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
    }),
  }),
  env: ({ url }) => ({ GEMINI_API_KEY: key, GOOGLE_GEMINI_BASE_URL: url }),
  hands: {
    shell: (command) => ({ name: 'run_shell_command', args: { command, description: 'A step' } }),
    read: (file_path) => ({ name: 'read_file', args: { file_path } }),
    write: (file_path, content) => ({ name: 'write_file', args: { file_path, content } }),
    edit: (file_path, old_string, new_string) => ({
      name: 'replace',
      args: { file_path, instruction: 'A step', old_string, new_string },
    }),
  },
  differs: {
    'acp-sigint': { why: 'tokens are told at the end alone', tokens: false },
    'acp-edit': { why: 'over ACP it tells input and output alone', tokens: { input: 6000, output: 300 } },
    'acp-denied': { why: 'over ACP it tells input and output alone', tokens: { input: 3600, output: 180 } },
    'disconnect-then-ok': { why: 'it does not try again after a stream that broke', is: 'provider', exit: 4 },
    'failing-command': {
      why: 'a command that fails is a success to it, and its exit code is not told',
      tools: ['run_shell_command completed'],
    },
    'sigint-tool': { why: 'tokens are told at the end alone', tokens: false },
    'sigterm-tool': { why: 'tokens are told at the end alone', tokens: false },
    'turn-limit': { why: 'tokens are told at the end alone', tokens: false },
  },
};
