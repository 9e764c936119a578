import { checkClaims } from '../claims/check-claims.ts';
import type { Claim } from '../claims/claim.ts';
import { FactsFold } from '../claims/facts/fold.ts';
import type { AgentEvent, EventRecord } from '../events/event.ts';

const mostClaims = 100;
const mostQuote = 1000;
const mostWhy = 500;
const mostEvidence = 5;

/** What the answer of a run claims, judged when somebody asks; a little at a time is kept of what it is judged by. */
export class ClaimsOfRun {
  readonly #facts = new FactsFold();
  #seen = 0;
  #known: { answer: string; seen: number; claims: Claim[] } | undefined;

  /** Only what has its place in the run can be cited. Asked first is what most events fail at. */
  see(event: AgentEvent): void {
    switch (event.type) {
      case 'thread.started':
      case 'item.started':
      case 'item.output':
      case 'item.completed':
      case 'file.edited':
        if (!isRecord(event)) return;
        this.#seen += 1;
        this.#facts.see(event);
        return;
      default:
    }
  }

  of(answer: string): readonly Claim[] {
    if (answer === '') return [];
    if (this.#known?.answer !== answer || this.#known.seen !== this.#seen)
      this.#known = { answer, seen: this.#seen, claims: checkClaims(answer, this.#facts.facts()) };
    return this.#known.claims;
  }
}

function isRecord(event: AgentEvent): event is EventRecord {
  return 'sequence' in event;
}

/** The claims that an outcome shows: of too many, what is contradicted first. */
export function shownClaims(
  claims: readonly Claim[],
  isFull: boolean,
  cut: (text: string, most: number) => string,
): { shown: Claim[]; omitted: number } {
  if (isFull) return { shown: [...claims], omitted: 0 };
  const first = new Set(
    claims.length <= mostClaims
      ? claims
      : claims
          .toSorted((one, other) => Number(other.verdict === 'contradicted') - Number(one.verdict === 'contradicted'))
          .slice(0, mostClaims),
  );
  const shown = claims
    .filter((each) => first.has(each))
    .map((each) => ({
      ...each,
      quote: cut(each.quote, mostQuote),
      evidence: each.evidence.slice(0, mostEvidence).map((one) => ({ ...one, why: cut(one.why, mostWhy) })),
    }));
  return { shown, omitted: claims.length - shown.length };
}
