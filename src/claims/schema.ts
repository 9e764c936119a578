import { z } from 'zod';
import { claimGrades, claimKindNames, claimVerdicts } from './claim.ts';

const ClaimEvidence = z.strictObject({
  sequence: z.int().positive().optional(),
  grade: z.enum(claimGrades),
  why: z.string(),
});

export const Claim = z.strictObject({
  quote: z.string(),
  start: z.int().nonnegative(),
  kind: z.enum(claimKindNames),
  verdict: z.enum(claimVerdicts),
  evidence: z.array(ClaimEvidence),
});

/** What `runwire claims --json` prints, one object a line. */
export const ClaimsReport = z.strictObject({
  /** The file, or the id of the run. */
  file: z.string(),
  claims: z.array(Claim),
  /** The answer had more claims than are listed. */
  omitted: z.int().positive().optional(),
});
export type ClaimsReport = z.infer<typeof ClaimsReport>;
