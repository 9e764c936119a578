import { key, type RealAgent } from '../agent.ts';

export const claude: RealAgent = {
  id: 'claude',
  format: 'anthropic',
  flags: ['--model', 'claude-sonnet-4-5'],
  // It asks who uses it for the first time.
  home: () => ({ '.claude.json': JSON.stringify({ hasCompletedOnboarding: true }) }),
  // Root may do everything only where it says that nothing can be broken.
  pass: ['IS_SANDBOX'],
  env: ({ url }) => ({
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: key,
    CLAUDE_CODE_MAX_RETRIES: '2',
    ...(process.getuid?.() === 0 ? { IS_SANDBOX: '1' } : {}),
  }),
  hands: {
    shell: (command) => ({ name: 'Bash', args: { command, description: 'A step' } }),
    read: (file_path) => ({ name: 'Read', args: { file_path } }),
    write: (file_path, content) => ({ name: 'Write', args: { file_path, content } }),
    edit: (file_path, old_string, new_string) => ({ name: 'Edit', args: { file_path, old_string, new_string } }),
  },
  noReasoningTokens: true,
  differs: {
    'disconnect-then-ok': {
      why: 'it counts what the answer that broke off had used',
      tokens: { input: 2400, output: 72 },
    },
    'disconnect-always': {
      why: 'it counts what the answers that broke off had used',
      tokens: { input: 3600, output: 36 },
    },
    'sigterm-silence': { why: 'it tells what the request had used so far', tokens: { input: 1200, output: 1 } },
    'sigint-tool': { why: 'it tells the end of the command that it stopped', tools: ['Bash cancelled'] },
    'sigterm-tool': { why: 'it tells the end of the command that it stopped', tools: ['Bash cancelled'] },
  },
};
