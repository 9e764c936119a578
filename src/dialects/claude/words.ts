import type { ErrorCode, FinishReason } from '../../events/event.ts';
import type { Json } from '../dialect.ts';

export const synthetic = '<synthetic>';
export const interruption = '[Request interrupted by user';

/** `error` of assistant messages and retries. */
const faults: Record<string, ErrorCode> = {
  authentication_failed: 'auth',
  oauth_org_not_allowed: 'auth',
  account_on_hold: 'auth',
  verification_required: 'auth',
  cloud_credential_error: 'auth',
  billing_error: 'quota',
  rate_limit: 'rate_limit',
  overloaded: 'server',
  server_error: 'server',
  model_not_found: 'model_not_found',
  max_output_tokens: 'output_length',
};

export function codeOfWord(word: string | undefined): ErrorCode | undefined {
  return word !== undefined && Object.hasOwn(faults, word) ? faults[word] : undefined;
}

export function wordOfCode(code: ErrorCode | undefined): string {
  return Object.keys(faults).find((word) => faults[word] === code) ?? 'unknown';
}

/** Why a turn ended, where it says more than the subtype. */
const terminals: Record<string, ErrorCode> = {
  max_turns: 'turn_limit',
  budget_exhausted: 'cost_limit',
  prompt_too_long: 'context_overflow',
  rapid_refill_breaker: 'context_overflow',
  image_error: 'input',
  blocking_limit: 'quota',
  model_error: 'server',
  malformed_tool_use_exhausted: 'tool',
  aborted_streaming: 'cancelled',
  aborted_tools: 'cancelled',
  stop_hook_prevented: 'permission',
  hook_stopped: 'permission',
  turn_setup_failed: 'config',
};

export function codeOfTerminal(reason: string | undefined): ErrorCode | undefined {
  return reason !== undefined && Object.hasOwn(terminals, reason) ? terminals[reason] : undefined;
}

const finishes: Record<string, FinishReason> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  tool_use: 'tool_calls',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  refusal: 'content_filter',
  pause_turn: 'other',
};

const plainStops = new Set(['end_turn', 'tool_use']);

export function finishOf(raw: string | undefined, calledTools: boolean): { finish_reason?: FinishReason; raw_finish_reason?: string } {
  if (raw === undefined) return calledTools ? { finish_reason: 'tool_calls' } : {};
  const finish_reason = (Object.hasOwn(finishes, raw) ? finishes[raw] : undefined) ?? 'other';
  return plainStops.has(raw) ? { finish_reason } : { finish_reason, raw_finish_reason: raw };
}

const stops: Partial<Record<FinishReason, string>> = {
  stop: 'end_turn',
  tool_calls: 'tool_use',
  length: 'max_tokens',
  content_filter: 'refusal',
};

export function stopOf(finish: FinishReason | undefined, raw: string | undefined): string | null {
  if (raw !== undefined && Object.hasOwn(finishes, raw)) return raw;
  return (finish === undefined ? undefined : stops[finish]) ?? null;
}

/** What a stop reason says against an answer; undefined: nothing. */
export function codeOfStop(raw: Json | undefined): ErrorCode | undefined {
  if (raw === undefined || raw === null || raw === 'end_turn' || raw === 'stop_sequence' || raw === 'tool_use') return undefined;
  if (raw === 'refusal') return 'refused';
  if (raw === 'max_tokens') return 'output_length';
  return raw === 'model_context_window_exceeded' ? 'context_overflow' : 'unknown';
}
