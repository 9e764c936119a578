import { describe, expect, it } from 'vitest';
import { checkClaims, factsOf } from '../../src/claims/check-claims.ts';
import {
  type Claim as ClaimType,
  type ClaimEvidence,
  type ClaimGrade,
  type ClaimVerdict,
  claimKinds,
} from '../../src/claims/claim.ts';
import { Claim, ClaimsReport } from '../../src/claims/schema.ts';
import { steepest, steepnessOf } from '../support/growth.ts';
import type { ChangedFile, RepositoryState } from '../../src/claims/state.ts';

it('finds no claim in an empty answer', () => {
  const file: ChangedFile = { path: 'a.ts', operation: 'modified' };
  const state: RepositoryState = { isComplete: true, files: [file] };
  const claims = checkClaims('', factsOf([]), state);
  expect(ClaimsReport.parse({ file: 'run.jsonl', claims })).toEqual({ file: 'run.jsonl', claims: [] });
});

it('describes every kind', () => expect(Object.values(claimKinds).filter((text) => !text.includes(' '))).toEqual([]));

it('accepts what the types say', () => {
  const grade: ClaimGrade = 'transcript';
  const evidence: ClaimEvidence = { sequence: 1, grade, why: 'npm test: exit 1' };
  const verdict: ClaimVerdict = 'contradicted';
  const claim: ClaimType = { quote: 'All tests pass', start: 0, kind: 'tests_pass', verdict, evidence: [evidence] };
  expect(Claim.parse(claim)).toEqual(claim);
});

describe('a hostile answer', () => {
  const facts = factsOf([]);
  const answers: readonly (readonly [string, (size: number) => string])[] = [
    ['of many sentences', (size) => 'All 12 tests pass. '.repeat(size)],
    ['of one sentence without an end', (size) => 'and all tests pass, '.repeat(size)],
    ['of nested Markdown', (size) => `${'> - * 1. | '.repeat(size)}\n${'`'.repeat(size)}${'['.repeat(size)}`],
    ['of a table', (size) => '| a | 12 passed |\n'.repeat(size)],
    ['of escapes and broken Unicode', (size) => '\u001b[31m\u202e\ud800 tests pass\u0000. '.repeat(size)],
    ['of digits', (size) => `${'1,'.repeat(size)} tests pass`],
  ];

  it.each(answers)('%s costs no more than its length, and lists few claims', (_, make) => {
    expect(steepnessOf((size) => void checkClaims(make(size), facts), 20_000)).toBeLessThan(steepest);
    expect(checkClaims(make(200_000), facts).length).toBeLessThanOrEqual(400);
  });
});
