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
};
