import type { EventOf } from '../../../events/event.ts';
import { present } from '../../../json/present.ts';
import type { DecoderSink } from '../../dialect.ts';
import type { Json, JsonObject } from '../../../json/json.ts';
import { growth, isAny, plus, type Tokens } from '../../kit/tokens.ts';
import { readMessagesUsage } from '../../kit/messages-usage.ts';
import { tierOfMessages } from '../../../outcome/service-tier.ts';

type Step = Tokens & Pick<EventOf<'usage.reported'>, 'call_input_tokens' | 'service_tier'>;
type BlockKind = 'text' | 'reasoning';

interface BlockIds {
  turn_id?: string;
  message_id?: string;
  block_id?: string;
  parent_item_id?: string;
}

/** One model call: all lines that share a `message.id`. */
export class Message {
  readonly id: string | undefined;
  readonly parent: string | undefined;
  readonly model: string | undefined;
  stop: string | undefined;
  /** Other messages have come since it began. */
  isToldAgain = false;
  readonly #calls = new Set<string>();
  readonly #texts = new Set<string>();
  #usage: Tokens = {};
  /** How many blocks of each kind came as deltas, and how many as whole lines. */
  readonly #streamed = { text: 0, reasoning: 0 };
  readonly #whole = { text: 0, reasoning: 0 };
  #streams: Map<number, { kind: BlockKind; place: BlockIds }> | undefined;

  constructor(id: string | undefined, parent: string | undefined, model: string | undefined) {
    this.id = id;
    this.parent = parent;
    this.model = model;
  }

  get calledTools(): boolean {
    return this.#calls.size > 0;
  }

  /** Whether this call was seen before; if not, it is recorded. */
  hasCalled(id: string): boolean {
    if (this.isToldAgain && this.#calls.has(id)) return true;
    this.#calls.add(id);
    return false;
  }

  hasSaid(kind: BlockKind, text: string): boolean {
    return this.isToldAgain && this.#texts.has(markOf(kind, text));
  }

  /** Lines of one message repeat its usage: only the growth is counted, at once, so that counts are live. */
  count(wire: JsonObject): Step | undefined {
    const more = growth(readMessagesUsage(wire), this.#usage);
    if (!isAny(more)) return undefined;
    const isFirst = !isAny(this.#usage);
    this.#usage = plus(this.#usage, more);
    const call_input_tokens = isFirst ? undefined : this.#usage.input_tokens;
    return { ...more, ...present({ call_input_tokens, service_tier: tierOfMessages(wire) }) };
  }

  say(kind: BlockKind, text: string, sink: DecoderSink): void {
    const number = this.#whole[kind];
    if (text === '') {
      if (this.#streamed[kind] > number) this.#whole[kind] += 1;
      return;
    }
    if (this.hasSaid(kind, text)) return;
    this.#texts.add(markOf(kind, text));
    this.#whole[kind] += 1;
    sink.emit({ type: kind === 'text' ? 'text.completed' : 'reasoning.completed', text, ...this.#place(kind, number) });
  }

  add(index: Json | undefined, kind: BlockKind, text: string, sink: DecoderSink): void {
    const streams = (this.#streams ??= new Map());
    let stream = streams.get(indexOf(index));
    if (stream === undefined || stream.kind !== kind) {
      stream = { kind, place: this.#place(kind, this.#streamed[kind]) };
      this.#streamed[kind] += 1;
      streams.set(indexOf(index), stream);
    }
    sink.emit({ type: kind === 'text' ? 'text.delta' : 'reasoning.delta', text, ...stream.place });
  }

  endBlock(index: Json | undefined): void {
    this.#streams?.delete(indexOf(index));
  }

  #place(kind: BlockKind, number: number): BlockIds {
    const { id, parent } = this;
    const owner = parent === undefined ? id : `${parent}_${id}`;
    return present({
      turn_id: id,
      message_id: id,
      block_id: id === undefined ? undefined : `${owner}_${kind}_${number}`,
      parent_item_id: parent,
    });
  }
}

/** Enough to recognise a text. */
function markOf(kind: BlockKind, text: string): string {
  return `${kind} ${text.length} ${text.slice(0, 40)}`;
}

function indexOf(value: Json | undefined): number {
  return typeof value === 'number' ? value : 0;
}
