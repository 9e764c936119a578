import type { Claim, ErrorCode } from '../../../events/event.ts';
import { present } from '../../../json/present.ts';
import type { JsonObject } from '../../../json/json.ts';
import { authRequired, cancelled, endTurn, internalError, ownMeta } from '../words.ts';

const stopReasonOf: Partial<Record<ErrorCode, string>> = {
  output_length: 'max_tokens',
  turn_limit: 'max_turn_requests',
  cost_limit: 'max_turn_requests',
  refused: 'refusal',
  cancelled,
};

/** The answer to a prompt: a stop reason where ACP has one that fits, otherwise an error. `more` goes into `_meta.runwire`. */
export function writeEnding(
  claim: Claim,
  otherwise: string,
  more: JsonObject = {},
): { result: JsonObject } | { error: JsonObject } {
  const { type: _type, ...fields } = claim;
  const own = { [ownMeta]: { claim: present(fields), ...more } };
  const stopReason = reasonOf(claim);
  if (stopReason !== undefined) return { result: { stopReason, _meta: own } };
  const code = claim.code === 'auth' ? authRequired : internalError;
  return { error: { code, message: claim.message ?? otherwise, data: own } };
}

function reasonOf({ status, code }: Claim): string | undefined {
  if (status === 'ok') return endTurn;
  if (status === 'cancelled') return cancelled;
  return code === undefined ? undefined : stopReasonOf[code];
}
