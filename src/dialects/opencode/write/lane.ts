import { present } from '../../../json/present.ts';
import { addCounts, type Counts, noCounts } from '../../kit/counts.ts';
import type { JsonObject } from '../../../json/json.ts';
import { repositoryRoot } from './paths.ts';
import type { Session } from './session.ts';
import { writeUsage } from './usage.ts';

interface Message {
  id: string;
  /** The user's message that it answers. */
  parent: string;
  model: string | undefined;
  created: number;
  completed?: number;
  counts: Counts;
  finish?: string | undefined;
  error?: JsonObject | undefined;
}

/** One session on the bus, the run's own or that of a sub-agent, and its current assistant message. */
export class Lane {
  /** The user's latest message, which the following ones answer. */
  answers = '';
  readonly #session: Session;
  readonly #child: string | undefined;
  #message: Message | undefined;
  #isOpen = false;
  /** A turn that has begun but whose message has no id yet. */
  #unnamed: { turn: string; at: number } | undefined;

  constructor(session: Session, child?: string) {
    this.#session = session;
    this.#child = child;
  }

  get id(): string {
    return this.#child ?? this.#session.id;
  }

  get isMain(): boolean {
    return this.#child === undefined;
  }

  get message(): string {
    return this.#message?.id ?? '';
  }

  get finish(): string | undefined {
    return this.#message?.finish;
  }

  /** Its message is not complete. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  startTurn(turn: string): void {
    this.#unnamed = { turn, at: this.#session.now };
  }

  /** What follows belongs to the turn that has begun, whatever the id of its message. */
  nameTurn(): void {
    if (this.#unnamed !== undefined) this.speak();
  }

  /** The id of the open turn's current message; a new message is announced first. */
  speak(wanted?: string): string {
    const unnamed = this.#unnamed;
    const id = wanted ?? (unnamed === undefined ? (this.#message?.id ?? this.#fallback) : unnamed.turn);
    if (unnamed === undefined && this.#isOpen && this.#message?.id === id) return id;
    if (this.isMain) this.#session.busy();
    this.#write({
      id,
      parent: this.answers,
      model: this.#session.model ?? this.#session.thread.model,
      created: unnamed?.at ?? this.#session.now,
      counts: noCounts,
    });
    this.#unnamed = undefined;
    this.#isOpen = true;
    return id;
  }

  endTurn(finish: string | undefined, counts: Counts): void {
    this.speak();
    const message = this.#message;
    if (message === undefined) return;
    const completed = Math.max(this.#session.now, message.created);
    this.#isOpen = false;
    this.#write({
      ...message,
      model: this.#session.model ?? message.model,
      completed,
      counts,
      finish,
      error: lasting(message, finish),
    });
  }

  /** The message ends with this finish reason, even if it already ended with another. */
  finishMessage(finish: string): void {
    const message = this.#message;
    if (message === undefined) return;
    this.#isOpen = false;
    this.#write({
      ...message,
      completed: Math.max(this.#session.now, message.created),
      finish,
      error: lasting(message, finish),
    });
  }

  /** Something went wrong in the message, which may go on. */
  fail(error: JsonObject): void {
    if (this.#message !== undefined && this.#unnamed === undefined) this.#write({ ...this.#message, error });
  }

  /** What the steps left out of the totals goes to the last message. */
  addUsage(counts: Counts): void {
    if (this.#message === undefined) this.speak();
    const message = this.#message;
    if (message === undefined) return;
    this.#write({ ...message, model: this.#session.model ?? message.model, counts: addCounts(message.counts, counts) });
  }

  get #fallback(): string {
    return this.#child === undefined ? 'message' : `${this.#child}_message`;
  }

  #write(message: Message): void {
    this.#message = message;
    this.#session.write('message.updated', { info: this.#info(message) });
  }

  #info(message: Message): JsonObject {
    const [providerID, modelID] = splitModel(message.model);
    return {
      id: message.id,
      sessionID: this.id,
      role: 'assistant',
      time: { created: message.created, ...(message.completed === undefined ? {} : { completed: message.completed }) },
      parentID: message.parent,
      modelID,
      providerID,
      mode: 'build',
      path: { cwd: this.#session.thread.cwd ?? '', root: repositoryRoot(this.#session.thread) },
      ...writeUsage(message.counts),
      ...present({ finish: message.finish, error: message.error }),
    };
  }
}

/** A message that ends well has recovered from its error. */
function lasting({ error }: Message, finish: string | undefined): JsonObject | undefined {
  return finish === 'stop' ? undefined : error;
}

export function splitModel(model: string | undefined): [provider: string, model: string] {
  const slash = model?.indexOf('/') ?? -1;
  return [slash === -1 ? '' : (model?.slice(0, slash) ?? ''), model?.slice(slash + 1) ?? ''];
}
