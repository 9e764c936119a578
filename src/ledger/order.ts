import type { RunOrder } from '../contract/orders.ts';
import { ownProcess } from '../processes/owner.ts';
import { giveOrder } from '../stores/order-file.ts';
import type { RunRecord } from '../stores/run-store.ts';
import type { Environment } from '../words/vocabulary.ts';

/** Gives an order to a run of this machine and this user, which carries it out within a second; returns why not. */
export function orderRun({ id, status, owner }: RunRecord, order: RunOrder, env: Environment): string | undefined {
  if (status !== 'running') return 'it has ended already';
  if (owner === undefined) return 'it is not known which process runs it';
  const found = ownProcess(owner);
  if ('refused' in found) return found.refused;
  giveOrder(env, id, order);
  return undefined;
}
