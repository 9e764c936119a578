import type { Expected } from '../support/expected.ts';

export const expected: Expected = {
  folder: 'gemini-json@0.61.0',
  dialect: 'gemini',
  classes: {
    denied: 'success',
    'disconnect-always': 'provider',
    'empty-answer': 'incomplete',
    'error-500-always': 'provider',
    'failing-shell': 'success',
    'multi-tool': 'success',
    parallel: 'success',
    plain: 'success',
    reasoning: 'success',
    shell: 'success',
    'sigint-tool': 'incomplete',
    'sigterm-stream': 'incomplete',
    'stdin-prompt': 'success',
    'stream-error': 'provider',
    unicode: 'success',
  },
};
