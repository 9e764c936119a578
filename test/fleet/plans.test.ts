import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { exitCodes } from '../../src/failure.ts';
import { plansOf } from '../../src/fleet/plans.ts';

const folder = join(import.meta.dirname, '..', '..', 'src', 'fleet');
const sources = readdirSync(folder)
  .filter((name) => name.endsWith('.ts'))
  .map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }));
const plans = Object.keys(plansOf('s'));

describe('the statements of the queue', () => {
  it('are all in one place, by name', () => {
    // The tables are made and changed in their order, which is their name.
    const elsewhere = sources.filter(({ name }) => name !== 'plans.ts' && name !== 'tables.ts');
    expect(
      elsewhere.filter(({ text }) => /\b(?:select .* from|insert into|update \S+ set|delete from)\b/.test(text)),
    ).toEqual([]);
    expect(elsewhere.filter(({ text }) => /\.query(?:<[^(]*>)?\(\s*[`'"]/.test(text))).toEqual([]);
  });

  it('are all sent by somebody', () => {
    const sent = new Set(sources.flatMap(({ text }) => [...text.matchAll(/\bplans\.(\w+)/g)].map(([, name]) => name)));
    expect(plans.filter((name) => !sent.has(name))).toEqual([]);
  });
});

it('has no exit code of its own', () => {
  const codes = Object.values(exitCodes).filter((code) => code > 100);
  expect(sources.filter(({ text }) => codes.some((code) => new RegExp(`\\b${code}\\b`).test(text)))).toEqual([]);
});
