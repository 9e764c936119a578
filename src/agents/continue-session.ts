import { list, number, object, string } from '../json/read.ts';
import type { Json } from '../json/json.ts';
import { parseJson } from '../json/parse.ts';
import { present } from '../json/present.ts';
import type { SessionTotals } from './session-meter.ts';

/** `~/.continue/sessions/ID.json`, with the totals of the whole session. Without a terminal it is written only when the run has succeeded. */
export function readContinueSession(text: string): SessionTotals | undefined {
  const { sessionId, workspaceDirectory, history: rows, usage: bill } = object(parseJson(text));
  const [session, cwd, usage] = [string(sessionId), string(workspaceDirectory), object(bill)];
  const [inputTokens, outputTokens] = [amount(usage.promptTokens), amount(usage.completionTokens)];
  if (!session || cwd === undefined || inputTokens === undefined || outputTokens === undefined || !isHistory(rows))
    return undefined;
  const history = list(rows).map(object);
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
