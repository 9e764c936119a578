import type { Expected } from '../../support/expected.ts';

export const expected: Expected = {
  folder: 'dexter@1.0.3',
  dialect: 'dexter',
  writer: 'dexter:events',
  silent: ['cached_tokens', 'reasoning_tokens'],
  classes: {
    'bad-args': 'success',
    denied: 'permission',
    'disconnect-always': 'time_limit',
    'error-401': 'provider',
    'error-500-always': 'time_limit',
    'long-text': 'incomplete',
    'long-tool-output': 'success',
    'multi-tool': 'success',
    plain: 'success',
    'rate-limit-then-ok': 'success',
    reasoning: 'success',
    shell: 'success',
    'sigint-tool': 'cancelled',
    'sigterm-stream': 'cancelled',
    'turn-limit': 'turn_limit',
    unicode: 'success',
    'unknown-tool': 'success',
  },
};
