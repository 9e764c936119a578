import type { Clause } from '../answer/clause.ts';
import type { ClaimEvidence, ClaimKind, ClaimVerdict } from '../claim.ts';
import type { Call } from '../facts/call.ts';
import type { Facts } from '../facts/facts.ts';
import type { RepositoryState } from '../state.ts';

export interface Judgement {
  verdict: ClaimVerdict;
  evidence: ClaimEvidence[];
}

/** What a clause claims, and how that is judged. */
export interface Found {
  kind: ClaimKind;
  judge(facts: Facts, state: RepositoryState | undefined): Judgement;
  /** It reads on: what follows in the sentence belongs to it. */
  isWhole?: boolean;
}

/** Reads claims of one or a few kinds; undefined: the clause makes none of them. */
export type KindReader = (clause: Clause) => Found | undefined;

export const notShown: Judgement = { verdict: 'not_shown', evidence: [] };

export function supported(...evidence: ClaimEvidence[]): Judgement {
  return { verdict: 'supported', evidence };
}

export function contradicted(...evidence: ClaimEvidence[]): Judgement {
  return { verdict: 'contradicted', evidence };
}

export function byCall(call: Call, why: string): ClaimEvidence {
  return { sequence: call.sequence, grade: 'transcript', why };
}

export function byState(why: string): ClaimEvidence {
  return { grade: 'state', why };
}
