import type { Json, JsonObject } from '../../../json/json.ts';
import { filled } from '../../../json/read.ts';
import type { Tokens } from '../../kit/tokens.ts';

/** One session on the bus: the run's own, or that of a sub-agent. Each of its turns is one assistant message. */
export class Lane {
  /** The tool call that started this session; undefined for the run's own session. */
  readonly parent: string | undefined;
  message: string | undefined;
  /** How often the message has been started: a retry starts over in the same message. */
  attempt = 1;
  /** A turn is open. */
  open = false;
  /** The message of the open turn is complete: the next line that is not about it ends the turn. */
  done = false;
  stepped = false;
  model: string | undefined;
  tokens: JsonObject = {};
  cost: Json | undefined;
  /** The usage already reported for this message; true: its steps reported their own. */
  reported: Tokens | true | undefined;
  completedAt: number | undefined;
  finish: string | undefined;
  denied = false;
  /** The last message that had text. */
  spokeIn: string | undefined;

  constructor(parent?: string) {
    this.parent = parent;
  }

  get isMain(): boolean {
    return this.parent === undefined;
  }

  /** An earlier message had text, but the last one has none. */
  get isMute(): boolean {
    return this.spokeIn !== undefined && this.message !== undefined && this.spokeIn !== this.message;
  }

  startMessage(id: string): void {
    this.message = id;
    this.attempt = 1;
    this.tokens = {};
    this.cost = undefined;
    this.reported = undefined;
    this.completedAt = undefined;
  }

  startTurn(model: string | undefined): void {
    this.open = true;
    this.done = false;
    this.stepped = false;
    this.denied = false;
    this.finish = undefined;
    if (model !== undefined) this.model = model;
  }

  endTurn(): void {
    this.open = false;
    this.done = false;
  }

  /** The id under which a message's text is emitted: the text of a retry must not be added to what was cut off. */
  voiceOf(message: string | undefined): string | undefined {
    return message === this.message && this.attempt > 1 ? `${message}_retry_${this.attempt}` : message;
  }

  /** The id under which the text of the turn's message is emitted. */
  get voice(): string | undefined {
    return this.voiceOf(this.message);
  }
}

export function modelOf(provider: Json | undefined, model: Json | undefined): string | undefined {
  const names = [filled(provider), filled(model)].filter((name) => name !== undefined);
  return names.length === 0 ? undefined : names.join('/');
}
