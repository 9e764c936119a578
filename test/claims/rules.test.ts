import { describe, expect, it } from 'vitest';
import { cases as sentences } from './support/sentence-rules.ts';
import { cases as shell } from './support/shell-rules.ts';
import { cases as wordings } from './support/wording-rules.ts';
import { judged } from './support/runs.ts';

describe.each([
  ['the shell', shell],
  ['sentences', sentences],
  ['wordings', wordings],
])('%s', (_, cases) => {
  it.each(cases.map((each) => [each[0], each] as const))('%s', (_title, each) => {
    expect(judged(each)).toEqual(each[2]);
  });
});
