import { expect, it } from 'vitest';
import { checkClaims, factsOf } from '../../src/claims/check-claims.ts';
import {
  type Claim as ClaimType,
  type ClaimEvidence,
  type ClaimGrade,
  type ClaimVerdict,
  claimKinds,
} from '../../src/claims/claim.ts';
import { Claim, ClaimsReport } from '../../src/claims/schema.ts';
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
