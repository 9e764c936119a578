import type { EventType, FinishReason } from '../../events/event.ts';

/** Why the last turn of a successful run ended; its calls have been made, so any other reason is just a stop. */
export const finishWords: Readonly<Partial<Record<FinishReason, string>>> = {
  length: 'length',
  content_filter: 'content-filter',
};

/** Events that stay in the message; all others are transient: sent to listeners, then forgotten. */
export const lasting: ReadonlySet<EventType> = new Set<EventType>([
  'file.edited',
  'limit.reached',
  'branch.updated',
  'branch.published',
  'expectation.checked',
]);
