import type { Draft, ErrorCode } from '../../../events/event.ts';
import { present } from '../../../json/present.ts';
import type { JsonObject } from '../../../json/json.ts';
import { codeOfMessage, codeOfStatus } from '../../../outcome/faults.ts';
import { asText, count, filled, integer, list, string, whole } from '../../../json/read.ts';
import { nearestWord } from '../../../words/nearest.ts';
import { codeOfStop, codeOfTerminal } from '../words.ts';

/** What the main thread did since the last result; the next result line is judged by it. */
export interface TurnFacts {
  lastText: string | undefined;
  interrupted: boolean;
  refused: boolean;
  /** A hook said that the run must stop. */
  stopped: boolean;
  /** Why the last message ended. */
  stop: string | undefined;
  /** A failure on the model's side from which no later message recovered. */
  fault: ErrorCode | undefined;
  active: boolean;
  /** A model was called. */
  hasCalledModel: boolean;
}

export function newFacts(): TurnFacts {
  return {
    lastText: undefined,
    interrupted: false,
    refused: false,
    stopped: false,
    stop: undefined,
    fault: undefined,
    active: false,
    hasCalledModel: false,
  };
}

/** What the lines before a result tell about it. */
interface Known {
  /** How long all turns up to this one took. */
  duration: number | undefined;
  /** A rate limit that was reached. */
  rejected: boolean;
  /** The result is all there is: turns and calls are not told. */
  isAlone: boolean;
}

/** What the result line claims, judged by all its fields: `subtype` alone says "success" even for API errors. */
export function readEnding(wire: JsonObject, facts: TurnFacts, { duration, rejected, isAlone }: Known): Draft[] {
  const subtype = string(wire.subtype) ?? '';
  const terminal = filled(wire.terminal_reason);
  const raw_status = terminal === undefined || terminal === 'completed' ? subtype : `${subtype}/${terminal}`;
  const turns = isAlone ? whole(wire.num_turns) || undefined : undefined;
  const finished = { type: 'agent.finished', raw_status, ...present({ duration_ms: duration, turns }) } as const;
  if (isWithheld(wire) && isGood({ ...wire, result: '', session_id: '' }, facts, terminal))
    return [{ ...finished, status: 'ok', is_answer_withheld: true }];
  if (isGood(wire, facts, terminal)) return [{ ...finished, status: 'ok' }];

  const message = messageOf(wire, subtype, terminal);
  const code = codeOf(wire, facts, subtype, terminal, message, rejected);
  if (code === 'cancelled') return [{ ...finished, status: 'cancelled', ...present({ message: filled(message) }) }];
  const claim: Draft = { ...finished, status: 'failed', code, message };
  if (code === 'turn_limit') {
    return [
      { type: 'limit.reached', limit: 'turns', ...present({ value: count(wire.num_turns) || undefined }), message },
      claim,
    ];
  }
  if (code === 'cost_limit') return [{ type: 'limit.reached', limit: 'cost', message }, claim];
  return [claim];
}

const withheld = [
  'result',
  'session_id',
  'uuid',
  'usage',
  'modelUsage',
  'permission_denials',
  'structured_output',
  'errors',
] as const;

/** The log of claude-code-action, which leaves out everything that the model or a tool may have said. */
export function isWithheld(wire: JsonObject): boolean {
  return typeof wire.permission_denials_count === 'number' && withheld.every((name) => !(name in wire));
}

/** The fields of a result that may be absent, and that tell of something bad. */
const optional = ['terminal_reason', 'api_error_status', 'errors', 'permission_denials', 'stop_reason'];

/** A key that is nearly that of a missing field: what it said is lost. */
export function hasMisspeltKey(wire: JsonObject): boolean {
  const missing = optional.filter((name) => !(name in wire));
  return Object.keys(wire).some((key) => !optional.includes(key) && nearestWord(key, missing) !== undefined);
}

function isGood(wire: JsonObject, facts: TurnFacts, terminal: string | undefined): boolean {
  return (
    wire.subtype === 'success' &&
    wire.is_error === false &&
    typeof wire.result === 'string' &&
    typeof wire.session_id === 'string' &&
    integer(wire.num_turns) !== undefined &&
    (terminal === undefined || terminal === 'completed' || terminal === 'background_requested') &&
    (wire.terminal_reason === undefined || typeof wire.terminal_reason === 'string') &&
    integer(wire.api_error_status) === undefined &&
    codeOfStop(wire.stop_reason ?? facts.stop) === undefined &&
    list(wire.errors).length === 0 &&
    facts.fault === undefined &&
    !facts.refused &&
    !facts.stopped
  );
}

function messageOf(wire: JsonObject, subtype: string, terminal: string | undefined): string {
  const errors = list(wire.errors).map(asText).filter(Boolean).join('\n');
  return (
    filled(errors) ??
    (subtype === 'success' ? filled(wire.result) : undefined) ??
    filled(wire.startup_failure_reason) ??
    (terminal === undefined || terminal === 'completed' ? subtype : terminal)
  );
}

function codeOf(
  wire: JsonObject,
  facts: TurnFacts,
  subtype: string,
  terminal: string | undefined,
  message: string,
  rejected: boolean,
): ErrorCode {
  if (subtype === 'error_max_turns') return 'turn_limit';
  if (subtype === 'error_max_budget_usd') return 'cost_limit';
  const named = codeOfTerminal(terminal);
  if (named === 'cancelled' || named === 'turn_limit' || named === 'cost_limit') return named;
  const status = integer(wire.api_error_status);
  if (codeOfStatus(status) !== undefined) return codeOfMessage(message, status);
  if (facts.fault !== undefined && facts.fault !== 'unknown') return facts.fault;
  if (named !== undefined) return named === 'server' && codeOfMessage(message) === 'network' ? 'network' : named;
  if (facts.refused) return 'refused';
  if (facts.stopped) return 'permission';
  const stop = codeOfStop(wire.stop_reason ?? facts.stop);
  if (stop !== undefined && stop !== 'unknown') return stop;
  if (facts.interrupted) return 'cancelled';
  if (wire.startup_failure_reason !== undefined || wire.invalid_config_file !== undefined) return 'config';
  const words = codeOfMessage(message);
  if (words !== 'unknown') return words;
  if (list(wire.permission_denials).length > 0) return 'permission';
  return rejected ? 'quota' : 'unknown';
}
