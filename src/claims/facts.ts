import type { EventRecord } from '../events/event.ts';

/** What the records of a run say that claims are judged by; gathered in one pass. */
export class FactsFold {
  see(_record: EventRecord): void {}

  facts(): Facts {
    return {};
  }
}

export type Facts = Readonly<Record<string, never>>;
