import type { Expected } from '../../support/expected.ts';

export const expected: Expected = {
  folder: 'opencode-serve@1.18.33',
  dialect: 'opencode',
  classes: {
    denied: 'permission',
    'disconnect-always': 'provider',
    'error-401': 'provider',
    'failing-shell': 'success',
    'multi-tool': 'success',
    parallel: 'success',
    plain: 'success',
    shell: 'success',
    'sigterm-stream': 'cancelled',
  },
};
