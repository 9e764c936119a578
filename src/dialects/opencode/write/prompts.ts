import type { EventOf } from '../../../events/event.ts';
import type { JsonObject } from '../../../json/json.ts';
import { diffOf } from './edits.ts';
import { type Lane, splitModel } from './lane.ts';
import { absolutePath } from './paths.ts';
import type { Session } from './session.ts';

const longestTitle = 80;
/** A summary is brief: further or larger changes are written only where they happen. */
const mostDiffs = 100;
const largestDiff = 20_000;

interface Prompt {
  id: string;
  text: string;
  created: number;
  system: string;
}

/** The user's messages. A task that is also submitted as a prompt is one message. */
export class Prompts {
  readonly #session: Session;
  readonly #lane: Lane;
  #last: Prompt | undefined;
  #count = 0;
  readonly #tools = new Set<string>();
  #diffs: JsonObject[] = [];

  constructor(session: Session, lane: Lane) {
    this.#session = session;
    this.#lane = lane;
  }

  submit(
    text: string,
    { message_id, system = '' }: Pick<EventOf<'prompt.submitted'>, 'message_id' | 'system'> = {},
  ): void {
    const session = this.#session;
    if (text === this.#last?.text) {
      if (system !== '' && system !== this.#last.system) this.#write(Object.assign(this.#last, { system }));
      return;
    }
    this.#last = { id: message_id ?? `user_${++this.#count}`, text, created: session.now, system };
    this.#diffs = [];
    this.#lane.answers = this.#last.id;
    this.#write(this.#last);
    session.write('message.part.updated', {
      part: {
        id: session.newPart(),
        sessionID: session.id,
        messageID: this.#last.id,
        type: 'text',
        text,
        synthetic: false,
        ignored: false,
      },
    });
  }

  /** A tool that was called must have been available. */
  called({ name }: EventOf<'item.started'>): void {
    if (this.#tools.size < mostDiffs) this.#tools.add(name);
  }

  edit(event: EventOf<'file.edited'>): void {
    if (this.#diffs.length >= mostDiffs || (event.diff?.length ?? 0) > largestDiff) return;
    this.#diffs.push(diffOf(event, absolutePath(this.#session.thread, event.path)));
  }

  /** The result of the last prompt: the tools that were used, and what they changed. */
  sumUp(): void {
    if (this.#last !== undefined && this.#tools.size + this.#diffs.length > 0) this.#write(this.#last);
  }

  #write({ id, text, created, system }: Prompt): void {
    const session = this.#session;
    const [providerID, modelID] = splitModel(session.thread.model);
    session.write('message.updated', {
      info: {
        id,
        sessionID: session.id,
        role: 'user',
        time: { created },
        agent: 'build',
        model: { providerID, modelID },
        system,
        tools: Object.fromEntries([...this.#tools].map((name) => [name, true])),
        summary: { title: titleOf(text), body: text, diffs: this.#diffs },
      },
    });
  }
}

function titleOf(text: string): string {
  const [line = ''] = text.trim().split('\n', 1);
  return line.length > longestTitle ? `${line.slice(0, longestTitle - 1)}…` : line;
}
