import { type Lane, splitModel } from './lane.ts';
import type { Session } from './session.ts';

/** What the user says. A task that is submitted as a prompt too is one message. */
export class Prompts {
  readonly #session: Session;
  readonly #lane: Lane;
  #last: string | undefined;
  #count = 0;

  constructor(session: Session, lane: Lane) {
    this.#session = session;
    this.#lane = lane;
  }

  submit(text: string, messageId?: string): void {
    if (text === this.#last) return;
    this.#last = text;
    const session = this.#session;
    const id = messageId ?? `user_${++this.#count}`;
    this.#lane.answers = id;
    const [providerID, modelID] = splitModel(session.thread.model);
    session.write('message.updated', {
      info: { id, sessionID: session.id, role: 'user', time: { created: session.now }, agent: 'build', model: { providerID, modelID } },
    });
    session.write('message.part.updated', {
      part: { id: session.newPart(), sessionID: session.id, messageID: id, type: 'text', text, synthetic: false, ignored: false },
    });
  }
}
