import type { Expected } from '../support/expected.ts';

export const expected: Expected = {
  folder: 'qwen-partial@0.24.4',
  dialect: 'qwen',
  classes: {
    denied: 'success',
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
};
