import { key, type RealAgent } from '../agent.ts';

const limit = { context: 128_000, output: 16_000 };

/** OpenCode and its fork are told the same. */
export const rigConfig = (url: string): string =>
  JSON.stringify({
    autoupdate: false,
    share: 'disabled',
    model: 'rig/rig-model',
    small_model: 'rig/rig-small',
    provider: {
      rig: {
        npm: '@ai-sdk/openai-compatible',
        name: 'Rig',
        options: { baseURL: `${url}/v1`, apiKey: key },
        models: {
          'rig-model': {
            name: 'Rig Model',
            reasoning: true,
            tool_call: true,
            limit,
            cost: { input: 1, output: 4, cache_read: 0.1, cache_write: 1 },
          },
          'rig-small': { name: 'Rig Small', limit },
        },
      },
    },
  });

export const opencode: RealAgent = {
  id: 'opencode',
  package: 'opencode-ai',
  version: '1.18.33',
  afterInstall: 'postinstall.mjs',
  format: 'chat',
  home: ({ url }) => ({
    '.config/opencode/opencode.json': rigConfig(url),
  }),
  env: () => ({
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
  }),
  keyInFile: true,
  hands: {
    shell: (command) => ({ name: 'bash', args: { command, description: 'A step' } }),
    read: (filePath) => ({ name: 'read', args: { filePath } }),
    write: (filePath, content) => ({ name: 'write', args: { content, filePath } }),
    edit: (filePath, oldString, newString) => ({ name: 'edit', args: { filePath, oldString, newString } }),
  },
  differs: {
    loop: { why: 'tokens are told after the call that ends the row', tokens: { input: 3600, output: 180 } },
    'acp-sigint': { why: 'over ACP it tells the tokens of its last model call alone', tokens: false },
    'acp-edit': { why: 'over ACP it tells the tokens of its last model call alone', tokens: false },
    'acp-denied': { why: 'over ACP it tells the tokens of its last model call alone', tokens: false },
    denied: {
      why: 'a withheld tool is told as a call of `invalid`',
      tools: ['invalid error denied', 'invalid error denied'],
    },
    'sigint-tool': {
      why: 'a call is told at its end, and tokens after it',
      tools: ['unknown cancelled abandoned'],
      tokens: false,
    },
    'sigterm-tool': {
      why: 'a call is told at its end, and tokens after it',
      tools: ['unknown cancelled abandoned'],
      tokens: false,
    },
  },
};
