import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { version } from '../../src/version.ts';

const root = join(import.meta.dirname, '..', '..');

/** A package of its own, installed wherever. */
function install(): string {
  const folder = mkdtempSync(join(tmpdir(), 'runwire-installed-'));
  mkdirSync(join(folder, 'bin'));
  copyFileSync(join(root, 'bin', 'runwire.js'), join(folder, 'bin', 'runwire.js'));
  symlinkSync(join(root, 'dist'), join(folder, 'dist'));
  return folder;
}

function start(folder: string): string {
  const env = { PATH: process.env['PATH'], HOME: folder, TMPDIR: folder };
  return execFileSync(process.execPath, [join(folder, 'bin', 'runwire.js'), '--version'], { env, encoding: 'utf8' });
}

it('what was compiled is kept in the package, and nowhere else', () => {
  const folder = install();
  expect(start(folder)).toBe(`${version}\n`);
  expect(readdirSync(folder).toSorted()).toEqual(['.cache', 'bin', 'dist']);
  expect(start(folder)).toBe(`${version}\n`);
});

it('a package that cannot be written to starts all the same', () => {
  const folder = install();
  writeFileSync(join(folder, '.cache'), '');
  expect(start(folder)).toBe(`${version}\n`);
});
