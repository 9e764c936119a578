import { key, type RealAgent } from '../agent.ts';

export const claude: RealAgent = {
  id: 'claude',
  format: 'anthropic',
  flags: ['--model', 'claude-sonnet-4-5'],
  // It asks who uses it for the first time.
  home: () => ({ '.claude.json': JSON.stringify({ hasCompletedOnboarding: true }) }),
  env: ({ url }) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: key, CLAUDE_CODE_MAX_RETRIES: '2' }),
  hands: {
    shell: (command) => ({ name: 'Bash', args: { command, description: 'A step' } }),
    read: (file_path) => ({ name: 'Read', args: { file_path } }),
    write: (file_path, content) => ({ name: 'Write', args: { file_path, content } }),
    edit: (file_path, old_string, new_string) => ({ name: 'Edit', args: { file_path, old_string, new_string } }),
  },
  noReasoningTokens: true,
};
