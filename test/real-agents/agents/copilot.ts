import { key, type RealAgent } from '../agent.ts';

export const copilot: RealAgent = {
  id: 'copilot',
  format: 'chat',
  flags: ['--model', 'rig-model'],
  home: () => ({}),
  env: ({ url }) => ({
    COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
    COPILOT_PROVIDER_TYPE: 'openai',
    COPILOT_PROVIDER_API_KEY: key,
    COPILOT_MODEL: 'rig-model',
    COPILOT_OFFLINE: 'true',
  }),
  hands: {
    shell: (command) => ({ name: 'bash', args: { command, description: 'A step' } }),
    read: (path) => ({ name: 'view', args: { path } }),
    write: (path, file_text) => ({ name: 'create', args: { path, file_text } }),
    edit: (path, old_str, new_str) => ({ name: 'edit', args: { path, old_str, new_str } }),
  },
  tellsNoTokens: true,
  differs: {
    'acp-edit': {
      why: 'over ACP it tells what kind of tool it was, and its tokens',
      tools: ['read completed', 'edit completed', 'edit completed', 'execute completed'],
      tokens: { input: 6000, output: 300 },
    },
    'acp-denied': {
      why: 'over ACP it tells what kind of tool it was, and its tokens; the first refusal ends it',
      tools: ['execute error denied'],
      tokens: { input: 1200, output: 60 },
    },
    'acp-sigint': {
      why: 'over ACP it tells what kind of tool it was, and its tokens',
      tools: ['execute cancelled abandoned'],
      tokens: { input: 1200, output: 60 },
    },
  },
};
