import type { AgentEvent } from '../../events/event.ts';

type EventSink = (event: AgentEvent, synthetic: boolean) => void;

/** What a run needs of a redactor: a stage for events, and a function for texts that are kept elsewhere. */
export interface Redaction {
  readonly count: number;
  push(event: AgentEvent, synthetic: boolean, emit: EventSink): void;
  end(emit: EventSink): void;
  text(text: string): string;
  json<T>(value: T): T;
}

export async function loadRedaction(_env: Readonly<Record<string, string | undefined>>): Promise<Redaction | undefined> {
  return undefined;
}
