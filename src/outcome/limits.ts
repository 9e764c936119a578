import type { ErrorCode, EventOf } from '../events/event.ts';

/** The error code for reaching each limit. */
export const codeOfLimit = {
  turns: 'turn_limit',
  tool_calls: 'turn_limit',
  repeats: 'loop',
  cost: 'cost_limit',
  tokens: 'cost_limit',
  time: 'time_limit',
  idle: 'time_limit',
  first_event: 'time_limit',
} as const satisfies Record<EventOf<'limit.reached'>['limit'], ErrorCode>;
