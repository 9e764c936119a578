import { requestOfId } from './answer.ts';
import type { ModelRequest } from './request.ts';
import type { ServedRequest } from './served.ts';

/**
 * The number of answers a request's history holds: an entry with an id of ours stands for the turn that made the id, so that clients
 * that drop, split or compact their history still get the turn they are at; any other entry counts as one.
 */
export function turnByHistory({ entries }: ModelRequest, served: readonly ServedRequest[]): number {
  let turn = 0;
  for (const entry of entries) {
    if (entry.role !== 'assistant') continue;
    const known = entry.ids
      .map((id) => served[(requestOfId(id) ?? 0) - 1]?.turn)
      .findLast((each) => each !== undefined);
    turn = (known ?? turn) + 1;
  }
  return turn;
}

/** The number of turns answered so far without a fault. */
export function turnBySequence(served: readonly ServedRequest[]): number {
  return served.filter(({ turn, fault, answer }) => turn !== undefined && fault === undefined && answer !== undefined)
    .length;
}
