import type { RunOrder } from '../contract/orders.ts';
import { ownProcess } from '../processes/owner.ts';
import { giveOrder } from '../stores/order-file.ts';
import type { RunRecord } from '../stores/run-store.ts';
import type { Environment } from '../words/vocabulary.ts';

const pollMs = 50;
/** A run looks four times a second; a machine that is very busy takes its time. */
const mostPolls = 200;
const noAnswer =
  'it has been asked and does not answer: it may be stuck, of an older version, or started with another HOME or XDG_STATE_HOME, where it looks for orders';

/** Has a run of this machine and this user carry out an order; returns why it did not, or why that is not known. */
export async function orderRun(
  { id, status, owner }: RunRecord,
  order: RunOrder,
  { env, sleep }: { env: Environment; sleep(ms: number): Promise<unknown> },
): Promise<string | undefined> {
  if (status !== 'running') return 'it has ended already';
  if (owner === undefined) return 'it is not known which process runs it';
  const before = ownProcess(owner);
  if ('refused' in before) return before.refused;
  const left = giveOrder(env, id, order);
  try {
    for (let poll = 0; poll < mostPolls; poll += 1) {
      await sleep(pollMs);
      const answer = left.answer();
      if (answer === 'ended') return 'it has ended meanwhile';
      if (answer !== undefined) return answer.refused;
      const now = ownProcess(owner);
      if ('refused' in now) return now.refused;
    }
    return noAnswer;
  } finally {
    left.done();
  }
}
