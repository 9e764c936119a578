import type { Expected } from '../support/expected.ts';

export const expected: Expected = {
  folder: 'qwen-json@0.24.4',
  dialect: 'qwen',
  classes: {
    denied: 'success',
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
};
