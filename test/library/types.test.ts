import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { some } from '../support/sweep.ts';

const root = join(import.meta.dirname, '..', '..');

it.each(some(['index', 'portable']))('the types of %s need no others, those of Node.js included', (entry) => {
  const options = [
    '--ignoreConfig',
    '--strict',
    '--noEmit',
    '--module',
    'nodenext',
    '--target',
    'es2024',
    '--types',
    '',
  ];
  const { stdout, status } = spawnSync(
    join(root, 'node_modules', '.bin', 'tsc'),
    [...options, join(root, 'dist', `${entry}.d.ts`)],
    {
      cwd: root,
      encoding: 'utf8',
    },
  );
  expect({ stdout, status }).toEqual({ stdout: '', status: 0 });
});
