import type { Expected } from '../../support/expected.ts';

export const expected: Expected = {
  folder: 'gemini-relaunch@0.61.0',
  dialect: 'gemini',
  classes: {
    'empty-prompt': 'input',
    'error-401': 'provider',
    'multi-tool': 'success',
    plain: 'success',
    shell: 'success',
    'sigint-stream': 'incomplete',
    'sigint-tool': 'incomplete',
    'sigterm-stream': 'incomplete',
    'sigterm-tool': 'incomplete',
  },
};
