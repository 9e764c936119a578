import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { shellScript } from '../../src/files/shell-script.ts';

const root = join(import.meta.dirname, '..', '..');

it('reads every script in the form that the build replaces by its text', () => {
  const named = globSync('src/**/*.ts', { cwd: root }).flatMap((path) => {
    const calls = readFileSync(join(root, path), 'utf8').matchAll(/\bshellScript\(import\.meta\.dirname, '([^']+)'\)/g);
    return Array.from(calls, ([, name = '']) => join(dirname(path), name));
  });
  expect(named.toSorted()).toEqual(globSync('src/**/*.{sh,bash,zsh,fish}', { cwd: root }).toSorted());
  expect(shellScript(join(root, 'src', 'processes'), 'scripts/guard.sh')).toContain('trap');
});

it('reads none when the built command runs', () => {
  const built = globSync('dist/**/*.js', { cwd: root }).map((path) => readFileSync(join(root, path), 'utf8'));
  expect(built.filter((code) => code.includes('shellScript'))).toEqual([]);
  const guard = readFileSync(join(root, 'src', 'processes', 'scripts', 'guard.sh'), 'utf8');
  expect(built.filter((code) => code.includes(JSON.stringify(guard).slice(1, 200)))).toHaveLength(1);
});
