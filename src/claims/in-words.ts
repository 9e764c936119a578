import type { Claim } from './claim.ts';

/** A part of an answer as a quotation of one line. */
export function quoteOf({ quote }: Pick<Claim, 'quote'>): string {
  return `"${quote.replaceAll(/\s+/g, ' ').trim()}"`;
}

/** What shows it, in the order in which it was found. */
export function whyOf({ evidence }: Pick<Claim, 'evidence'>): string {
  return evidence.map(({ why }) => why).join('; ');
}

/** `"All tests pass": npm test: exit 1`. */
export function claimInWords(claim: Pick<Claim, 'quote' | 'evidence'>): string {
  const why = whyOf(claim);
  return why === '' ? quoteOf(claim) : `${quoteOf(claim)}: ${why}`;
}

export function contradictedOf<Each extends Pick<Claim, 'verdict'>>(claims: readonly Each[] = []): Each[] {
  return claims.filter(({ verdict }) => verdict === 'contradicted');
}
