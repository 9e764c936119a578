import type { Expected } from '../support/expected.ts';

export const expected: Expected = {
  folder: 'pi-google@0.73.1',
  dialect: 'pi',
  classes: {
    denied: 'success',
    'disconnect-always': 'provider',
    'empty-answer': 'incomplete',
    'error-401': 'provider',
    'error-500-always': 'provider',
    'failing-shell': 'success',
    'multi-tool': 'success',
    plain: 'success',
    reasoning: 'success',
    shell: 'success',
    'sigint-tool': 'cancelled',
    'stdin-prompt': 'success',
    'stream-error': 'provider',
    unicode: 'success',
  },
};
