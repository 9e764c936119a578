import type { JsonObject } from '../../../json/json.ts';
import { string } from '../../../json/read.ts';
import { Recent } from '../../kit/recent.ts';

type Role = 'user' | 'assistant';

/** A part, and the properties of the event that it came with. */
interface HeldPart {
  part: JsonObject;
  properties: JsonObject;
}

/** How many parts may wait for their author; further ones are not kept. */
const maxHeld = 100;

/** Who writes which message. A part may come before its message, and then it waits. */
export class Authors {
  readonly #roles = new Recent<Role>(200);
  #lastPrompt: { message: string; system: string | undefined } | undefined;
  #held: HeldPart[] = [];

  roleOf(message: string): Role | undefined {
    return this.#roles.get(message);
  }

  set(message: string, role: Role): void {
    this.#roles.set(message, role);
  }

  /** The user wrote this message, with these instructions to the model. */
  prompted(message: string, system: string | undefined): void {
    this.set(message, 'user');
    this.#lastPrompt = { message, system };
  }

  systemOf(message: string | undefined): string | undefined {
    return this.#lastPrompt?.message === message ? this.#lastPrompt?.system : undefined;
  }

  hold(part: JsonObject, properties: JsonObject): void {
    if (this.#held.length < maxHeld) this.#held.push({ part, properties });
  }

  /** The parts that waited for this message. */
  release(message: string): HeldPart[] {
    if (this.#held.length === 0) return [];
    const released = this.#held.filter(({ part }) => part.messageID === message);
    if (released.length > 0) this.#held = this.#held.filter(({ part }) => part.messageID !== message);
    return released;
  }

  /** No more messages come: parts without an author are the agent's. */
  end(): HeldPart[] {
    const rest = this.#held;
    this.#held = [];
    for (const { part } of rest) this.set(string(part.messageID) ?? '', 'assistant');
    return rest;
  }
}
