import type { ErrorCode, FinishReason, ItemStatus } from '../events/event.ts';
import type { Verdict } from '../outcome/outcome.ts';

/** Our error names mapped to those that other OpenTelemetry tools for agents use; names not listed stay as they are. */
const types: Readonly<Record<string, string>> = {
  time_limit: 'timeout',
  turn_limit: 'max_turns',
  cost_limit: 'budget_exceeded',
  permission: 'permission_denied',
  context_overflow: 'context_length',
  tool: 'tool_error',
  incomplete: 'agent_crash',
  unknown: '_OTHER',
};

export function errorTypeOf({ class: name, code }: Pick<Verdict, 'class' | 'code'>): string {
  return errorType(code === undefined || code === 'unknown' ? name : code);
}

export function errorType(word: string): string {
  return Object.hasOwn(types, word) ? (types[word] ?? word) : word;
}

/** The error type of a failed tool call; undefined: it did not fail. */
const ofCalls: Readonly<Record<ItemStatus, string | undefined>> = {
  success: undefined,
  error: 'tool_error',
  denied: 'permission_denied',
  cancelled: 'cancelled',
  abandoned: '_OTHER',
};

export function errorTypeOfCall(status: ItemStatus): string | undefined {
  return ofCalls[status];
}

const reasons: Readonly<Record<FinishReason, string | undefined>> = {
  stop: 'stop',
  tool_calls: 'tool_call',
  length: 'length',
  content_filter: 'content_filter',
  error: 'error',
  aborted: 'error',
  other: undefined,
};

export function finishReasonOf(reason: FinishReason | undefined): string | undefined {
  return reason === undefined ? undefined : reasons[reason];
}

/** How a whole run ended, as the finish reason of a model call. */
export function finishReasonOfRun({
  class: name,
  code,
}: {
  class: Verdict['class'];
  code?: ErrorCode | undefined;
}): string {
  if (name === 'success' || name === 'expectation') return 'stop';
  return code === 'refused' ? 'content_filter' : code === 'output_length' ? 'length' : 'error';
}
