import type { ItemKind } from '../../events/event.ts';

/** What a person is asked about: one call that nothing allows and no rule denies. */
export interface Question {
  itemId: string;
  kind: ItemKind;
  /** The tool. */
  name: string;
  /** What it would touch. */
  subject: string;
  /** Why it is asked. */
  reason: string;
}

/** Asks whoever is there. False: no, or nobody answered before the signal. */
export type AskPerson = (question: Question, signal: AbortSignal) => Promise<boolean>;
