import type { EventRecord } from '../events/event.ts';
import type { Claim } from './claim.ts';
import { type Facts, FactsFold } from './facts.ts';
import type { RepositoryState } from './state.ts';

/** The claims of an answer, in the order of the answer, each with its verdict and what shows it. */
export function checkClaims(_answer: string, _facts: Facts, _state?: RepositoryState): Claim[] {
  return [];
}

/** The facts of a run that is kept as records. */
export function factsOf(records: Iterable<EventRecord>): Facts {
  const fold = new FactsFold();
  for (const record of records) fold.see(record);
  return fold.facts();
}
