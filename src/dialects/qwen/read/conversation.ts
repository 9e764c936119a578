import { present } from '../../../json/present.ts';
import type { DecoderSink } from '../../dialect.ts';
import type { Json, JsonObject } from '../../../json/json.ts';
import { asText, count, filled, list, object, whole } from '../../../json/read.ts';
import { codeOfError, isApiError, splitApiError, unwrapApiError } from '../words.ts';
import { attemptsIn } from './attempts.ts';
import { Stream } from './stream.ts';
import type { Tools } from './tools.ts';
import { readUsage } from './usage.ts';

type LineKind = 'text' | 'thinking' | 'tool_use' | 'error' | undefined;

interface Turn {
  /** The model's answer is complete: the next assistant line belongs to another one. */
  done: boolean;
  called: boolean;
  failed: boolean;
  last: LineKind;
}

/** The messages. This wire has no lines for turns: they follow from the order of the other lines. */
export class Conversation {
  readonly #sink: DecoderSink;
  readonly #tools: Tools;
  #turns = 0;
  #turn: Turn | undefined;
  #stream: Stream | undefined;
  #lastId: string | undefined;
  /** The texts of the last message. */
  #spoken: string[] = [];
  /** How many retries since the last text kept what had been delivered. */
  #retries = 0;
  /** Attempts at an answer that has not come yet, each of which may be a separate line. */
  #attempts = 0;

  constructor(sink: DecoderSink, tools: Tools) {
    this.#sink = sink;
    this.#tools = tools;
  }

  /** How many turns have started. */
  get turns(): number {
    return this.#turns;
  }

  get isInTurn(): boolean {
    return this.#turn !== undefined;
  }

  get isFailed(): boolean {
    return this.#turn?.failed === true;
  }

  assistant(wire: JsonObject): void {
    const message = object(wire.message);
    const parent = filled(wire.parent_tool_use_id);
    const content = list(message.content);
    const usage = readUsage(message.usage);
    const id = filled(message.id) ?? filled(wire.uuid);
    const turn = parent === undefined ? this.#enter(lineKind(content[0]), id, message.model) : undefined;
    const unknown: Json[] = [];
    for (const each of content) {
      const block = object(each);
      if (block.type === 'text' && turn !== undefined) this.#say(asText(block.text), turn, id, usage === undefined);
      else if (block.type === 'text') this.#subAgentSays(asText(block.text), parent);
      else if (block.type === 'thinking')
        this.#sink.emit({ type: 'reasoning.completed', text: asText(block.thinking), ...this.#place(parent, id) });
      else if (block.type === 'tool_use') {
        if (!this.#tools.start(block, parent)) unknown.push(each);
        if (turn === undefined) continue;
        turn.called = true;
        turn.failed = false;
      } else unknown.push(each);
    }
    if (unknown.length > 0) this.#sink.unknown({ ...wire, message: { ...message, content: unknown } });
    if (usage === undefined) return;
    this.#sink.emit({ type: 'usage.reported', scope: 'step', ...present({ model: filled(message.model) }), ...usage });
    if (turn !== undefined) turn.done = true;
  }

  stream(wire: JsonObject): void {
    const event = object(wire.event);
    const parent = filled(wire.parent_tool_use_id);
    switch (event.type) {
      case 'content_block_delta':
        return this.#delta(object(event.delta), parent, wire);
      case 'message_start':
        if (parent !== undefined) return;
        this.#start(object(event.message).model);
        this.#stream = new Stream();
        return;
      case 'message_stop':
        if (parent !== undefined || this.#turn === undefined) return;
        this.#stream = undefined;
        this.#turn.done = true;
        return;
      case 'tool_progress':
        return this.#tools.progress(event) ? undefined : this.#sink.unknown(wire);
      case 'content_block_start':
      case 'content_block_stop':
      case 'goal_state':
      case 'active_goal':
        return;
      default:
        return this.#sink.unknown(wire);
    }
  }

  retry(data: JsonObject): void {
    const isKept = data.preserveText === true;
    if (this.#turn === undefined || this.#turn.done || this.#turn.last !== 'text') this.#attempts += 1;
    if (isKept) this.#retries += 1;
    if (this.#stream !== undefined) {
      const { messageId } = this.#stream;
      const text = this.#stream.retry(this.#turns, isKept);
      if (text !== '') this.#sink.emit({ type: 'text.completed', text, ...present({ message_id: messageId }) });
    }
    this.#sink.emit({
      type: 'retry.scheduled',
      cause: asText(data.reason),
      ...present({ attempt: whole(data.attempt), max_attempts: whole(data.maxRetries), delay_ms: count(data.delayMs) }),
    });
  }

  /** Tool results, or a notice: the model's answer is complete. */
  endAnswer(): void {
    this.#attempts = 0;
    if (this.#turn !== undefined) this.#turn.done = true;
  }

  /** The result repeats the last message, unless the answer was given in another form (`--json-schema`) or its line is missing. */
  lastWords(text: string, id: string | undefined): void {
    const last = text.trim();
    if (
      last === '' ||
      isApiError(last) ||
      this.#spoken.join('').trim() === last ||
      this.#spoken.join('\n').trim() === last
    )
      return;
    this.#enter('text', id, undefined);
    this.#spoken = [];
    this.#sink.emit({ type: 'text.completed', text: text, ...present({ message_id: id }) });
  }

  /** `isGood`: what the result says about the turn it ends. */
  endRun(isGood: boolean): void {
    if (!isGood && this.#turn !== undefined && !this.#turn.called) this.#turn.failed = true;
    this.endTurn();
    this.#retries = 0;
    this.#attempts = 0;
  }

  endTurn(): void {
    if (this.#turn === undefined) return;
    const { failed, called } = this.#turn;
    this.#turn = undefined;
    this.#stream = undefined;
    this.#sink.emit({ type: 'turn.completed', finish_reason: failed ? 'error' : called ? 'tool_calls' : 'stop' });
  }

  /** An error in deltas that no complete line follows any more. */
  end(): void {
    if (this.#stream !== undefined && this.#stream.error !== '') this.#fail(this.#stream.error);
  }

  #start(model: Json | undefined): Turn {
    this.endTurn();
    this.#turns += 1;
    const turn: Turn = { done: false, called: false, failed: false, last: undefined };
    this.#turn = turn;
    this.#sink.emit({ type: 'turn.started', ...present({ model: filled(model) }) });
    return turn;
  }

  /** Lines of one answer differ in kind, so a text right after a text is another answer; so is what follows tool results or usage. */
  #enter(kind: LineKind, id: string | undefined, model: Json | undefined): Turn {
    const turn = this.#turn;
    const isSame = turn !== undefined && (this.#stream !== undefined || (id !== undefined && id === this.#lastId));
    const isRepeat = kind === 'text' && turn?.last === 'text';
    const isNext = turn?.done === true || (isRepeat && this.#attempts === 0);
    if (isRepeat && !isNext) this.#attempts -= 1;
    const current = turn === undefined || (isNext && !isSame) ? this.#start(model) : turn;
    if (id !== this.#lastId || id === undefined) this.#spoken = [];
    this.#lastId = id;
    current.last = kind;
    current.done = false;
    return current;
  }

  #place(parent: string | undefined, id: string | undefined): { parent_item_id?: string; message_id?: string } {
    const message = parent === undefined && this.#stream !== undefined ? this.#stream.messageId : id;
    return present({ parent_item_id: parent, message_id: message });
  }

  #say(full: string, turn: Turn, id: string | undefined, isUnpaid: boolean): void {
    this.#spoken.push(full);
    const { spoken, error } = splitApiError(full, isUnpaid);
    const isStreamed = this.#stream !== undefined;
    const pieces = this.#stream === undefined ? attemptsIn(spoken, this.#retries) : [this.#stream.complete(spoken)];
    this.#retries = 0;
    for (const [index, text] of pieces.entries()) {
      if (text === '' && error !== undefined) continue;
      const place =
        index === 0 || isStreamed ? this.#place(undefined, id) : { message_id: `${id ?? 'retry'}_${index + 1}` };
      this.#sink.emit({ type: 'text.completed', text, ...place });
    }
    turn.failed = error !== undefined;
    if (error === undefined) return;
    turn.last = 'error';
    this.#fail(error);
  }

  #fail(error: string): void {
    const message = unwrapApiError(error);
    this.#sink.emit({ type: 'error', scope: 'provider', code: codeOfError(message), message, fatal: true });
  }

  #subAgentSays(text: string, parent: string | undefined): void {
    if (!isApiError(text))
      return this.#sink.emit({ type: 'text.completed', text: text, ...present({ parent_item_id: parent }) });
    const message = unwrapApiError(text);
    this.#sink.emit({ type: 'error', scope: 'subagent', code: codeOfError(message), message, fatal: false });
  }

  #delta(piece: JsonObject, parent: string | undefined, wire: JsonObject): void {
    switch (piece.type) {
      case 'text_delta':
        return this.#add(asText(piece.text), parent);
      case 'thinking_delta':
        return this.#sink.emit({
          type: 'reasoning.delta',
          text: asText(piece.thinking),
          ...this.#place(parent, undefined),
        });
      case 'input_json_delta':
      case 'signature_delta':
        return;
      default:
        return this.#sink.unknown(wire);
    }
  }

  #add(piece: string, parent: string | undefined): void {
    if (parent !== undefined) {
      if (!isApiError(piece)) this.#sink.emit({ type: 'text.delta', text: piece, parent_item_id: parent });
      return;
    }
    if (this.#stream === undefined) {
      if (this.#turn === undefined || this.#turn.done) this.#start(undefined);
      this.#stream = new Stream();
    }
    const text = this.#stream.add(piece);
    if (text === '') return;
    const { messageId } = this.#stream;
    this.#sink.emit(
      messageId === undefined ? { type: 'text.delta', text } : { type: 'text.delta', text, message_id: messageId },
    );
  }
}

function lineKind(first: Json | undefined): LineKind {
  const block = object(first);
  if (block.type === 'text') return isApiError(asText(block.text)) ? 'error' : 'text';
  return block.type === 'thinking' || block.type === 'tool_use' ? block.type : undefined;
}
