import type { Expected } from '../../support/expected.ts';

export const expected: Expected = {
  folder: 'pi-google@0.73.1',
  dialect: 'pi',
  classes: {
    denied: 'permission',
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
    'stream-error': 'success',
    unicode: 'success',
  },
  silent: ['reasoning_tokens'],
  differs: {
    'disconnect-always': {
      why: 'what was counted before each attempt broke off',
      tokens: { input: 5344, output: 108 },
    },
    'stream-error': {
      why: 'the agent does not notice the error in the stream: it prints a good end, and nothing contradicts it',
      message: 'This answer ends in an error event of the stream',
      tokens: { input: 1336, output: 23 },
    },
  },
};
