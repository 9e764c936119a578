import type { Expected } from '../../support/expected.ts';

export const expected: Expected = {
  folder: 'pi-anthropic@0.73.1',
  dialect: 'pi',
  classes: {
    denied: 'permission',
    'empty-answer': 'incomplete',
    'failing-shell': 'success',
    'multi-tool': 'success',
    parallel: 'success',
    plain: 'success',
    reasoning: 'success',
    shell: 'success',
    'sigterm-stream': 'cancelled',
    'stdin-prompt': 'success',
    'stream-error': 'provider',
    unicode: 'success',
  },
  silent: ['reasoning_tokens'],
  differs: {
    'stream-error': { why: 'what was counted before each attempt broke off', tokens: { input: 5360, output: 4 } },
  },
};
