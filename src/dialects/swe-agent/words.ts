import type { ErrorCode } from '../../events/event.ts';

/** How a run ended that submitted nothing, or only because it was stopped: by the word in `exit_status`. */
export const exitCodes: readonly (readonly [RegExp, ErrorCode])[] = [
  [/exit_cost|cost_?limit|instance_cost/i, 'cost_limit'],
  [/exit_context|contextwindow|context_window/i, 'context_overflow'],
  [/time(?:out|_?exceeded)|execution_time/i, 'time_limit'],
  [/limits_?exceeded|max_?(?:steps|turns|requeries)|call_limit/i, 'turn_limit'],
  [/interrupt|early_exit|cancel/i, 'cancelled'],
  [/exit_api|apierror|ratelimit/i, 'server'],
  [/authentication|unauthorized/i, 'auth'],
  [/environment/i, 'tool'],
];
