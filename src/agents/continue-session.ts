import { list, number, object, string } from '../dialects/read.ts';
import type { Json } from '../dialects/dialect.ts';
import { present } from '../present.ts';
import type { SessionTotals } from './session-meter.ts';

/** `~/.continue/sessions/ID.json`, with the totals of the whole session. Without a terminal it is written only when the run has succeeded. */
export function readContinueSession(text: string): SessionTotals | undefined {
  let wire: Json;
  try {
    wire = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { sessionId, workspaceDirectory, history: told, usage: bill } = object(wire);
  const [session, cwd, usage] = [string(sessionId), string(workspaceDirectory), object(bill)];
  const [inputTokens, outputTokens] = [amount(usage.promptTokens), amount(usage.completionTokens)];
  if (!session || cwd === undefined || inputTokens === undefined || outputTokens === undefined || !isHistory(told)) return undefined;
  const history = list(told).map(object);
  return {
    sessionId: session,
    cwd,
    goesOn: list(history.at(-1)?.toolCallStates).length > 0,
    turns: history.filter(({ message }) => object(message).role === 'assistant').length,
    inputTokens,
    outputTokens,
    // These start at 0 and stay there if the server never reports them, so 0 means unknown.
    ...present({
      cacheReadTokens: amount(object(usage.promptTokensDetails).cachedTokens) || undefined,
      costUsd: amount(usage.totalCost) || undefined,
    }),
  };
}

/** An entry that is not a message means that this is not a session file that we know. */
function isHistory(value: Json | undefined): boolean {
  return Array.isArray(value) && value.every((entry) => string(object(object(entry).message).role) !== undefined);
}

function amount(value: Json | undefined): number | undefined {
  const known = number(value);
  return known !== undefined && known >= 0 ? known : undefined;
}
