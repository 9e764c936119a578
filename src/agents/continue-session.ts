import { z } from 'zod';
import { present } from '../present.ts';
import type { SessionTotals } from './session-meter.ts';

const count = z.number().nonnegative();
const Session = z.looseObject({
  sessionId: z.string().min(1),
  workspaceDirectory: z.string(),
  history: z.array(z.looseObject({ message: z.looseObject({ role: z.string() }) })),
  usage: z.looseObject({
    totalCost: count.optional(),
    promptTokens: count,
    completionTokens: count,
    promptTokensDetails: z.looseObject({ cachedTokens: count.optional() }).optional(),
  }),
});

/** `~/.continue/sessions/ID.json`, with the totals of the whole session. Without a terminal it is written when the run has ended well. */
export function readContinueSession(text: string): SessionTotals | undefined {
  let wire: unknown;
  try {
    wire = JSON.parse(text);
  } catch {
    return undefined;
  }
  const session = Session.safeParse(wire).data;
  if (session === undefined) return undefined;
  const { sessionId, workspaceDirectory: cwd, history, usage } = session;
  return {
    sessionId,
    cwd,
    turns: history.filter(({ message }) => message.role === 'assistant').length,
    inputTokens: usage.promptTokens,
    outputTokens: usage.completionTokens,
    // It begins with 0 for what some servers never tell it.
    ...present({ cacheReadTokens: usage.promptTokensDetails?.cachedTokens || undefined, costUsd: usage.totalCost || undefined }),
  };
}
