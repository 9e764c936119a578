import { Failure } from '../failure.ts';
import type { Claim } from './claim.ts';
import type { Prepared } from './prepare.ts';

/** Limits are checked before more is spent: an answer that is already there still counts. */
export function limitReached(iteration: number, { options, spending, model, emit }: Prepared): Claim | undefined {
  const { maxTurns, lifted } = options;
  const keepsCost = lifted?.has('max_cost_usd') !== true;
  if (!spending.isKnown && keepsCost)
    throw new Failure('config', `${model.id} does not report its usage, so a cost limit cannot be enforced`);
  if (maxTurns !== undefined && iteration > maxTurns && lifted?.has('max_turns') !== true) {
    const message = `the run reached its limit of ${maxTurns} ${maxTurns === 1 ? 'turn' : 'turns'}`;
    emit({ type: 'limit.reached', limit: 'turns', value: iteration - 1, maximum: maxTurns, message });
    return { status: 'failed', code: 'turn_limit', message };
  }
  const { overrun } = spending;
  if (overrun === undefined || !keepsCost) return undefined;
  const message = `the run reached its cost limit: $${overrun.value} of $${overrun.maximum}`;
  emit({ type: 'limit.reached', limit: 'cost', ...overrun, message });
  return { status: 'failed', code: 'cost_limit', message };
}
