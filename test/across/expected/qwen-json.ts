import type { Expected } from '../../support/expected.ts';

const why = 'the last answer served is to a call of the program itself, which keeps notes for later runs';

export const expected: Expected = {
  folder: 'qwen-json@0.24.4',
  dialect: 'qwen',
  classes: {
    denied: 'permission',
    'error-401': 'provider',
    'failing-shell': 'success',
    'multi-tool': 'success',
    parallel: 'success',
    plain: 'success',
    reasoning: 'success',
    shell: 'success',
    'sigint-tool': 'cancelled',
    'sigterm-stream': 'cancelled',
    'stream-error': 'time_limit',
    'turn-limit': 'turn_limit',
  },
  differs: {
    plain: { why, message: 'Hello! How can I help you with this project today?' },
    reasoning: { why, message: 'The answer is 42.' },
  },
};
