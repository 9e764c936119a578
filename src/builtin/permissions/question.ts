import type { ItemKind } from '../../events/event.ts';

/** What a person is asked about: one call that no rule allows or denies. */
export interface Question {
  itemId: string;
  kind: ItemKind;
  /** The tool. */
  name: string;
  /** What it would touch. */
  subject: string;
  /** Why the person is asked. */
  reason: string;
}

/** Asks the user. False: no, or no answer before the signal. */
export type AskPerson = (question: Question, signal: AbortSignal) => Promise<boolean>;
