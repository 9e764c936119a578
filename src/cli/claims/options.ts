import { requestOptions } from '../../contract/flags.ts';
import { isolations } from '../../words/vocabulary.ts';
import type { Options, Values } from '../command.ts';

/** Flags of running commands again. */
export const rerunOptions = {
  rerun: {
    type: 'boolean',
    help: 'Run the commands behind the claims again, in fresh copies of the work and of its base; of a run in a private copy',
  },
  'rerun-timeout': {
    type: 'string',
    value: 'DURATION',
    help: 'How long each command may take, each time (default: 5m)',
  },
  setup: { type: 'string', value: 'CMD', help: 'Prepare each fresh copy with this command, such as "npm ci"' },
  copy: {
    type: 'string',
    multiple: true,
    value: 'FILE',
    help: 'A file that git does not track and that each fresh copy must have; may be repeated',
  },
  isolate: {
    type: 'string',
    value: `auto|${isolations.filter((kind) => kind !== 'worktree').join('|')}`,
    help: 'How fresh copies are made (default: auto)',
  },
  env: { type: 'string', multiple: true, value: 'NAME[=VALUE]', help: 'Pass this variable on, too; may be repeated' },
  'permission-mode': requestOptions['permission-mode'],
  allow: requestOptions.allow,
  deny: requestOptions.deny,
  cwd: { type: 'string', short: 'C', value: 'DIR', help: 'The checkout, if it is not where the run was started' },
} as const satisfies Options;

export type RerunFlags = Values<typeof rerunOptions>;
