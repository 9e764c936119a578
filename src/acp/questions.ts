import type { AskPerson } from '../builtin/permissions/question.ts';
import { kindOnWire } from '../dialects/acp/words.ts';
import { object } from '../json/read.ts';
import type { Peer } from '../jsonrpc/peer.ts';

const options = [
  { optionId: 'allow', name: 'Allow', kind: 'allow_once' },
  { optionId: 'reject', name: 'Reject', kind: 'reject_once' },
];

/** Asks the user of the editor. No answer means no. */
export function questionsOver(peer: Peer, sessionId: string): AskPerson {
  return async ({ itemId, kind, name, subject }, signal) => {
    const stopped = Promise.withResolvers<false>();
    const stop = (): void => stopped.resolve(false);
    signal.addEventListener('abort', stop, { once: true });
    try {
      const answer = peer.request('session/request_permission', {
        sessionId,
        toolCall: {
          toolCallId: itemId,
          title: subject === '' ? name : `${name} ${subject}`,
          kind: kindOnWire[kind],
          status: 'pending',
        },
        options,
      });
      return await Promise.race([answer.then(isAllowed, () => false), stopped.promise]);
    } finally {
      signal.removeEventListener('abort', stop);
    }
  };
}

function isAllowed(answer: Parameters<typeof object>[0]): boolean {
  const { outcome, optionId } = object(object(answer).outcome);
  return outcome === 'selected' && optionId === 'allow';
}
