import type { Expected } from '../../support/expected.ts';

const why = 'the last answer served is to a call of the program itself, which keeps notes for later runs';

export const expected: Expected = {
  folder: 'qwen-partial@0.24.4',
  dialect: 'qwen',
  silent: ['reasoning_tokens'],
  classes: {
    denied: 'permission',
    'disconnect-always': 'provider',
    'empty-answer': 'incomplete',
    'error-500-always': 'provider',
    'failing-shell': 'success',
    'multi-tool': 'success',
    parallel: 'success',
    plain: 'success',
    shell: 'success',
    'sigint-tool': 'cancelled',
    'stdin-prompt': 'success',
    'stream-error': 'time_limit',
    'turn-limit': 'turn_limit',
  },
  differs: {
    plain: { why, message: 'Hello! How can I help you with this project today?' },
    'stdin-prompt': { why, message: 'Hello! I read your prompt from stdin.' },
  },
};
