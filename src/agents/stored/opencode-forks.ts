import type { JsonObject } from '../../json/json.ts';
import { object } from '../../json/read.ts';

/** The id of a session, and a message of it. */
type Kept = readonly [session: string, message: JsonObject];

/** A fork begins with the messages of another session, under new ids but with their times and counts: they belong to the session that is older. */
export class CopiedMessages {
  /** By what identifies an answer: the first session that has it. */
  readonly #owners = new Map<string, string>();

  /** `kept`: the messages of a store, those of the oldest session first. */
  static async in(kept: AsyncIterable<Kept> | Iterable<Kept>): Promise<CopiedMessages> {
    const copied = new CopiedMessages();
    for await (const [session, message] of kept) {
      const identity = identityOf(message);
      if (identity !== undefined && !copied.#owners.has(identity)) copied.#owners.set(identity, session);
    }
    return copied;
  }

  /** The messages that are a session's own. */
  async *own(session: string, messages: AsyncIterable<JsonObject>): AsyncGenerator<JsonObject> {
    /** Requests since the last answer: they go with the next one. */
    let held: JsonObject[] = [];
    for await (const message of messages) {
      held.push(message);
      if (message.role !== 'assistant') continue;
      const owner = this.#owners.get(identityOf(message) ?? '') ?? session;
      if (owner === session) yield* held;
      held = [];
    }
    yield* held;
  }
}

/** Undefined: nothing tells it from others. */
function identityOf({ role, time, modelID, tokens }: JsonObject): string | undefined {
  const { created, completed } = object(time);
  if (role !== 'assistant' || typeof created !== 'number' || typeof completed !== 'number') return undefined;
  const { input, output } = object(tokens);
  return [created, completed, modelID, input, output].map(String).join(' ');
}
