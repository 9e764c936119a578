import type { EventOf } from '../../../events/event.ts';
import { present } from '../../../json/present.ts';
import type { EncoderSink } from '../../dialect.ts';
import type { JsonObject } from '../../../json/json.ts';
import { reportMessage } from '../words.ts';
import type { Lines } from './lines.ts';
import { messagePreview, shorten } from './preview.ts';

export interface Turn {
  readonly id: string;
  readonly iteration: number;
  /** An agent's turn with more than one reply is written as several turns. */
  readonly isPart: boolean;
  /** The agent's own id of the turn. */
  readonly source: string;
  items: number;
  running: number;
  hasText: boolean;
  /** Its last text came after all its calls. */
  answered: boolean;
  failed: boolean;
}

interface TurnIds {
  turn_id?: string | undefined;
  iteration?: number | undefined;
}

/** Turns of one reply each: a message, then its items. */
export class Turns {
  readonly #sink: EncoderSink;
  readonly #lines: Lines;
  #turn: Turn | undefined;
  /** The end of a turn that may have been the last answer. */
  #lastEnd: JsonObject | undefined;
  #source = '';
  #iteration = 0;
  #items = 0;
  #messages = 1;
  /** A text waits for the next event, which shows whether tool calls follow it. */
  #pending: string | undefined;
  /** A text longer than its preview: lost, unless it is the message of the final report. */
  #cutText: string | undefined;

  constructor(sink: EncoderSink, lines: Lines) {
    this.#sink = sink;
    this.#lines = lines;
  }

  start(event?: EventOf<'turn.started'>): void {
    const iteration = Math.max(event?.iteration ?? 0, this.#iteration + 1);
    this.#iteration = iteration;
    const id = event !== undefined && event.iteration === iteration ? event.turn_id : `turn_${iteration}`;
    if (event !== undefined) this.#source = event.turn_id;
    const isPart = event === undefined;
    this.#turn = {
      id,
      iteration,
      isPart,
      source: this.#source,
      items: 0,
      running: 0,
      hasText: false,
      answered: false,
      failed: false,
    };
    this.#lines.write('turn.started', {
      turn_id: id,
      iteration,
      message_count: event?.message_count ?? this.#messages,
      tool_count: event?.tool_count ?? this.#items,
    });
  }

  /** A model call that failed or was cut off has no message. */
  complete(isCutOff: boolean, event?: EventOf<'turn.completed'>): void {
    const turn = this.#turn;
    if (turn === undefined) return;
    if (this.#pending !== undefined || !(turn.failed || isCutOff)) this.#speak();
    const fields = {
      turn_id: turn.id,
      iteration: turn.iteration,
      tool_call_count: event === undefined || turn.isPart ? turn.items : event.tool_call_count,
      has_final_report: turn.answered && event?.has_final_report === true,
    };
    if (turn.answered) this.#lastEnd = this.#lines.defer('turn.completed', fields);
    else this.#lines.write('turn.completed', fields);
    this.#turn = undefined;
  }

  /** The agent is started again, or prompted again: its answer was not the last word. */
  goOn(): void {
    if (this.#lines.isDeferred(this.#lastEnd)) this.#lastEnd.has_final_report = false;
  }

  /** Where in the run something happened, with the ids that are written. */
  place({ turn_id, iteration }: TurnIds): TurnIds {
    const turn = this.#turn;
    if (turn === undefined || (turn_id !== undefined && turn_id !== turn.source)) return { turn_id, iteration };
    return { turn_id: turn_id === undefined ? undefined : turn.id, iteration: turn.iteration };
  }

  say(event: EventOf<'text.completed'>, isCutOff: boolean): void {
    if (event.parent_item_id !== undefined) return this.#sink.lose('sub_agent');
    if (event.message_id === reportMessage || event.text.trim() === '') return;
    if (this.#pending !== undefined) this.#speak();
    // Text after the tools is another reply by the model, and a reply is a turn here.
    if (this.#turn !== undefined && this.#turn.items > 0 && this.#turn.running === 0) {
      this.#sink.lose('turn_boundary');
      this.complete(isCutOff);
      this.start();
    }
    if (this.#cutText !== undefined) this.#sink.lose('text');
    this.#cutText = shorten(event.text, messagePreview).cut ? event.text : undefined;
    this.#pending = event.text;
    if (this.#turn !== undefined) this.#turn.answered = true;
  }

  /** Calls that start together belong to one message, unless the agent says how many there are. */
  call(isMain: boolean, count?: number): Turn | undefined {
    const turn = this.#turn;
    if (!this.#lines.isHolding && turn !== undefined && (!turn.hasText || this.#pending !== undefined)) {
      if (count === undefined) this.#lines.hold('assistant.message', this.#message(turn));
      else this.#lines.write('assistant.message', { ...this.#message(turn), tool_call_count: count });
    }
    if (count !== 0) this.#lines.countCall();
    if (turn !== undefined) {
      turn.items += 1;
      turn.running += 1;
      // What is done about an answer does not make it less final.
      if (isMain && count !== 0) turn.answered = false;
    }
    this.#items += 1;
    return turn;
  }

  returned(turn: Turn | undefined): void {
    if (turn !== undefined) turn.running -= 1;
    this.#messages += 1;
  }

  fail(): void {
    if (this.#pending !== undefined) this.#speak();
    if (this.#turn !== undefined) this.#turn.failed = true;
  }

  /** The final text is complete only in the message of the report. */
  end(message: string, isAnswered: boolean): void {
    if (this.#lines.isDeferred(this.#lastEnd)) this.#lastEnd.has_final_report = isAnswered && message !== '';
    if (this.#cutText !== undefined && !message.endsWith(this.#cutText.trim())) this.#sink.lose('text');
  }

  /** Every turn has a message, before its items. */
  #speak(): void {
    if (this.#turn !== undefined && (!this.#turn.hasText || this.#pending !== undefined))
      this.#lines.write('assistant.message', this.#message(this.#turn));
  }

  #message(turn: Turn): JsonObject {
    const { text, cut } = shorten(this.#pending ?? '', messagePreview);
    this.#pending = undefined;
    turn.hasText = true;
    this.#messages += 1;
    return { turn_id: turn.id, preview: text, tool_call_count: 0, ...present({ truncated: cut || undefined }) };
  }
}
