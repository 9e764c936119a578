import { key, type RealAgent } from '../agent.ts';

const config = (url: string): string => `name: Rig
version: 1.0.0
schema: v1
models:
  - name: Rig Model
    provider: openai
    model: rig-model
    apiBase: ${url}/v1
    apiKey: ${key}
    roles:
      - chat
    capabilities:
      - tool_use
`;

export const continueCli: RealAgent = {
  id: 'continue',
  package: '@continuedev/cli',
  version: '1.5.47',
  onDemand: true,
  format: 'chat',
  home: ({ url }) => ({ '.continue/config.yaml': config(url) }),
  env: () => ({}),
  keyInFile: true,
  hands: {
    shell: (command) => ({ name: 'Bash', args: { command } }),
    read: (filepath) => ({ name: 'Read', args: { filepath } }),
    write: (filepath, content) => ({ name: 'Write', args: { filepath, content } }),
    edit: (file_path, old_string, new_string) => ({ name: 'Edit', args: { file_path, old_string, new_string } }),
  },
  noReasoningTokens: true,
  noCachedTokens: true,
  tellsNoCalls: true,
  cannot: {
    'turn-limit': 'it tells its turns when it has ended',
    attempts: 'its tokens are in its session file, which is known by its folder: overlays have the same one',
  },
  differs: {
    'sigint-tool': { why: 'its session is written when it has ended well', tokens: false },
    'sigterm-tool': { why: 'its session is written when it has ended well', tokens: false },
    denied: { why: 'what it was denied is told to the model alone', is: 'success', exit: 0 },
  },
};
