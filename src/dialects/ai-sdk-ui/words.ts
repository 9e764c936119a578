import type { EventType, FinishReason } from '../../events/event.ts';

/** Why the last turn of a run that succeeded ended; its calls have been made, so all others just stopped. */
export const finishWords: Readonly<Partial<Record<FinishReason, string>>> = { length: 'length', content_filter: 'content-filter' };

/** What stays in the message; all else is told to who listens, and then forgotten. */
export const lasting: ReadonlySet<EventType> = new Set<EventType>([
  'file.edited',
  'limit.reached',
  'branch.updated',
  'branch.published',
  'expectation.checked',
]);
