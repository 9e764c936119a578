import { eventIn } from '../../../events/check.ts';
import type { ErrorCode, EventOf, FinishReason } from '../../../events/event.ts';
import { codeOfMessage } from '../../../faults.ts';
import type { DecoderSink, JsonObject } from '../../dialect.ts';
import { asText, compact, filled, integer, isObject, object, string, wordIn } from '../../read.ts';
import { authRequired, cancelled, codeOfRpc, endTurn, internalError, ownMeta, stopReasons } from '../words.ts';
import { ownMetaOf } from './meta.ts';

type Claim = EventOf<'agent.finished'>;

const finishReasons: Readonly<Record<string, FinishReason>> = {
  [endTurn]: 'stop',
  [cancelled]: 'aborted',
  max_tokens: 'length',
  refusal: 'content_filter',
};

export function finishReason(stopReason: string): FinishReason {
  return wordIn(finishReasons, stopReason) ?? 'other';
}

/** What the answer to a prompt claims. */
export function claimOf(result: JsonObject, sink: DecoderSink): Claim {
  const own = ownClaim(ownMetaOf(result));
  const raw_status = string(result.stopReason) ?? '';
  if (own !== undefined && (own.status !== 'ok' || raw_status === endTurn)) return own;
  if (raw_status === endTurn) return { type: 'agent.finished', status: 'ok', raw_status };
  if (raw_status === cancelled) return { type: 'agent.finished', status: 'cancelled', raw_status };
  const code = wordIn(stopReasons, raw_status);
  if (code === undefined) sink.note('guessed', 'stop reason that is not known: a failure');
  return { type: 'agent.finished', status: 'failed', code: code ?? 'unknown', raw_status };
}

/** What an error says of a run. */
export interface Fault {
  code: ErrorCode;
  message: string;
  raw: string;
  status: number | undefined;
  /** As Runwire wrote it: its errors are told by themselves. */
  claim: Claim | undefined;
}

export function faultOf(error: JsonObject, method: string): Fault {
  const data = object(error.data);
  const details = filled(data.details) ?? filled(data.message) ?? filled(data.error) ?? filled(error.data);
  const said = asText(error.message);
  const isBare = said === '' || /^internal error$/i.test(said);
  const message =
    isBare && details !== undefined ? details : details === undefined || said.includes(details) ? said : `${said}: ${details}`;
  const raw = integer(error.code);
  const status = integer(data.status) ?? integer(data.statusCode) ?? integer(data.httpStatus);
  return {
    code: codeOf(raw, isBare ? (details ?? '') : message, status, method),
    message: message === '' ? `error ${raw ?? 'without a code'}` : message,
    raw: `error ${raw ?? ''}`.trim(),
    status: status !== undefined && status >= 100 && status <= 599 ? status : undefined,
    claim: ownClaim(isObject(data[ownMeta]) ? data[ownMeta] : undefined),
  };
}

function codeOf(raw: number | undefined, words: string, status: number | undefined, method: string): ErrorCode {
  const known = raw === undefined ? undefined : codeOfRpc[raw];
  if (known !== undefined) return known;
  const worded = codeOfMessage(words, status);
  if (worded !== 'unknown') return worded;
  // Who does not know how to begin is no agent of this protocol, or of another version.
  if (method !== 'session/prompt' && raw !== internalError) return 'config';
  return 'unknown';
}

export function isAuthRequired(error: JsonObject): boolean {
  return error.code === authRequired;
}

function ownClaim(own: JsonObject | undefined): Claim | undefined {
  const claim = own === undefined ? undefined : eventIn({ type: 'agent.finished', ...object(own.claim) });
  return claim?.type === 'agent.finished' ? claim : undefined;
}

export function tellFault(fault: Fault, sink: DecoderSink, scope: 'agent' | 'provider'): Claim {
  const { code, message, raw: raw_status, status, claim } = fault;
  // An error is never a success, whatever it says of itself.
  if (claim !== undefined && claim.status !== 'ok') return claim;
  if (code === 'cancelled') return { type: 'agent.finished', status: 'cancelled', message, raw_status };
  sink.emit({ type: 'error', scope, code, message, fatal: true, ...compact({ http_status: status }) });
  return { type: 'agent.finished', status: 'failed', code, message, raw_status };
}
