import type { Expected } from '../../support/expected.ts';

export const expected: Expected = {
  folder: 'pi-responses@0.73.1',
  dialect: 'pi',
  classes: {
    denied: 'permission',
    'empty-answer': 'incomplete',
    'error-401': 'provider',
    'error-500-always': 'provider',
    'failing-shell': 'success',
    'multi-tool': 'success',
    parallel: 'success',
    plain: 'success',
    reasoning: 'success',
    shell: 'success',
    'sigint-tool': 'cancelled',
    'sigterm-stream': 'cancelled',
  },
  silent: ['reasoning_tokens'],
};
