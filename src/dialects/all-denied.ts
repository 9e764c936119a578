import type { RunOutcome } from '../outcome/outcome.ts';

/**
 * What a wire says of a run of another agent that claims to be good and in which nothing was allowed: how that agent told it is not
 * known here, and a reader would take it for a success.
 */
export function allDenied({ verdict, denials, provenance }: RunOutcome, dialect: string): string | undefined {
  if (provenance.dialect === dialect) return undefined;
  return verdict.class === 'permission' && denials?.every === true ? 'permission denied: every attempt to act was denied' : undefined;
}
