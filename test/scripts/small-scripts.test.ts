import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { notInCi, smallScripts } from '../../scripts/small-scripts.ts';

const root = join(import.meta.dirname, '..', '..');
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> };
const ci = readFileSync(join(root, '.ci', 'run'), 'utf8');
const isStep = (name: string): boolean => new RegExp(`npm (?:run --silent )?${name}(?![\\w:-])`).test(ci);

it('every script of package.json is run by CI, as it is or small, unless there is a reason', () => {
  expect(Object.keys(scripts).filter((name) => !(name in smallScripts) && !(name in notInCi) && !isStep(name))).toEqual(
    [],
  );
  expect(isStep('test:scripts')).toBe(true);
});

it('small settings and reasons are those of scripts that exist', () => {
  expect([...Object.keys(smallScripts), ...Object.keys(notInCi)].filter((name) => !(name in scripts))).toEqual([]);
});
