import { expected } from '../../across/expected/codex.ts';
import { key, type RealAgent } from '../agent.ts';

const patch = (lines: readonly string[]): string => ['*** Begin Patch', ...lines, '*** End Patch', ''].join('\n');

export const codex: RealAgent = {
  id: 'codex',
  package: '@openai/codex',
  version: '0.166.0',
  format: 'responses',
  home: ({ url, work }) => ({
    '.codex/config.toml': `model = "gpt-5.5"
model_provider = "rig"
check_for_update_on_startup = false
approval_policy = "never"
model_reasoning_summary = "detailed"

[model_providers.rig]
name = "Rig"
base_url = "${url}/v1"
wire_api = "responses"
env_key = "RIG_API_KEY"
request_max_retries = 2
stream_max_retries = 2

[analytics]
enabled = false

[feedback]
enabled = false

[otel]
exporter = "none"

[projects."${work}"]
trust_level = "trusted"
`,
  }),
  env: () => ({ RIG_API_KEY: key }),
  pass: ['RIG_API_KEY'],
  hands: {
    shell: (cmd) => ({ name: 'exec_command', args: { cmd } }),
    read: (path) => ({ name: 'exec_command', args: { cmd: `cat ${path}` } }),
    write: (path, content) => ({
      name: 'apply_patch',
      input: patch([
        `*** Add File: ${path}`,
        ...content
          .trimEnd()
          .split('\n')
          .map((line) => `+${line}`),
      ]),
    }),
    edit: (path, before, after) => ({
      name: 'apply_patch',
      input: patch([`*** Update File: ${path}`, '@@', `-${before}`, `+${after}`]),
    }),
  },
  toolNames: expected.toolNames ?? {},
  differs: {
    denied: { why: 'what the sandbox refuses at once leaves no event', tools: [] },
    'sigint-tool': { why: 'tokens are told at the end alone', tokens: false },
    'sigterm-tool': { why: 'tokens are told at the end alone', tokens: false },
    'turn-limit': { why: 'tokens are told at the end alone', tokens: false },
    loop: { why: 'tokens are told at the end alone', tokens: false },
  },
};
