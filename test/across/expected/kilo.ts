import type { Expected } from '../../support/expected.ts';

export const expected: Expected = {
  folder: 'kilo@7.7.7',
  dialect: 'kilo',
  classes: {
    'bad-args': 'success',
    denied: 'permission',
    'empty-prompt': 'input',
    'error-500-always': 'provider',
    'error-500-then-ok': 'success',
    'failing-shell': 'success',
    'long-text': 'success',
    'multi-tool': 'success',
    plain: 'success',
    'resume-first': 'success',
    'resume-second': 'success',
    shell: 'success',
    'sigint-stream': 'cancelled',
    'sigint-tool': 'cancelled',
    'slow-reader': 'incomplete',
    'stdin-prompt': 'success',
    'stream-error': 'provider',
  },
  differs: {
    'empty-prompt': {
      why: 'nothing on stdout, and on stderr the sentence of opencode, which it was forked from',
      dialect: 'opencode',
    },
  },
};
