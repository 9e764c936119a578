import type { EventOf, EventRecord } from '../../../events/event.ts';
import type { JsonObject } from '../../../json/json.ts';
import { plus, type SparseTokens } from '../../kit/tokens.ts';
import { wrapApiError } from '../words.ts';
import type { Output } from './output.ts';
import { Stream } from './stream.ts';
import { writeUsage } from './usage.ts';

type Used = SparseTokens & { readonly model?: string | undefined };
type LineKind = 'text' | 'thinking' | 'tool_use' | 'error';

/** An assistant line waits for the usage of its answer, and for more blocks of its kind. */
interface Pending {
  kind: LineKind;
  id: string;
  parent: string | null;
  content: JsonObject[];
  usage: Used | undefined;
}

/** A line with this many blocks waits for no more. */
const mostBlocks = 256;

/** The messages, line by line, and the turns as a reader of these lines would see them. */
export class Conversation {
  readonly stream: Stream;
  readonly #output: Output;
  #pending: Pending | undefined;
  /** Usage that came before the first line of its answer. */
  #owed: Used | undefined;
  #turn: { id: string; done: boolean; last: LineKind; message: string } | undefined;
  /** A turn without a message so far. */
  #emptyTurn: string | undefined;
  #attempts = 0;

  constructor(output: Output) {
    this.#output = output;
    this.stream = new Stream(output);
  }

  get isInTurn(): boolean {
    return this.#turn !== undefined;
  }

  get isWaiting(): boolean {
    return this.#pending !== undefined || this.stream.isOpen;
  }

  get owesUsage(): boolean {
    return this.#owed !== undefined;
  }

  canStream(isSynthetic: boolean): boolean {
    const { variant, isOwn } = this.#output;
    return variant === 'partial' || (variant === 'stream-json' && isOwn && !isSynthetic);
  }

  startTurn(event: EventOf<'turn.started'>): void {
    if (this.isWaiting) this.stop();
    this.#emptyTurn = event.turn_id;
    if (event.model !== undefined) this.#output.model = event.model;
  }

  endTurn(isSynthetic: boolean): void {
    if (this.#emptyTurn !== undefined && this.canStream(false)) this.stream.start();
    else if (this.#emptyTurn !== undefined) this.#output.lose('turn_boundary');
    this.#emptyTurn = undefined;
    if (!isSynthetic && this.isWaiting) this.stop();
  }

  /** Writes the pending line. */
  flush(): void {
    this.#output.open();
    if (this.#pending === undefined) return;
    const { id, parent, content, usage, kind } = this.#pending;
    this.#pending = undefined;
    const message = {
      id,
      type: 'message',
      role: 'assistant',
      model: usage?.model ?? this.#output.model,
      content,
      stop_reason: kind === 'tool_use' ? 'tool_use' : null,
      usage: writeUsage(usage ?? {}),
    };
    this.#output.line('assistant', { message }, parent, id);
    if (this.#turn !== undefined && parent === null && usage !== undefined) this.#turn.done = true;
  }

  /** The answer is complete. */
  stop(): void {
    this.flush();
    this.stream.stop();
  }

  delta(event: EventRecord & { type: 'text.delta' | 'reasoning.delta' }): void {
    if (!this.canStream(event.synthetic)) return;
    if (!this.stream.isInBlock(event)) {
      this.stream.closeBlock();
      this.flush();
      if (event.parent_item_id === undefined) this.#enterMessage(event);
      this.stream.openBlock(event);
    }
    this.stream.delta(event);
  }

  say(event: EventOf<'text.completed' | 'reasoning.completed'>): void {
    const kind = event.type === 'text.completed' ? 'text' : 'thinking';
    const content =
      kind === 'text' ? { type: kind, text: event.text } : { type: kind, thinking: event.text, signature: '' };
    this.#add(kind, event.message_id, event.turn_id, event.parent_item_id ?? null, content);
  }

  call(event: EventOf<'item.started'>): void {
    const parent = event.parent_item_id ?? null;
    const tool = { type: 'tool_use', id: event.item_id, name: event.name };
    if (this.#isFull) this.flush();
    if (this.stream.isOpen || this.#output.variant === 'partial') {
      if (this.#pending?.kind !== 'tool_use' && this.#pending !== undefined) this.flush();
      if (parent === null) this.stream.start();
      this.stream.call(tool, JSON.stringify(event.args), parent);
    }
    const id = this.#pending?.kind === 'tool_use' ? this.#pending.id : this.#output.nextId();
    this.#add('tool_use', id, event.turn_id, parent, { ...tool, input: event.args });
  }

  fail(event: EventOf<'error'>): void {
    this.#add('error', this.#output.nextId(), event.turn_id ?? this.#turn?.id, null, {
      type: 'text',
      text: wrapApiError(event.message),
    });
  }

  /** The usage belongs to the pending line, if there is one without usage, otherwise to the next. */
  see(event: EventOf<'usage.reported'>): void {
    if (this.#pending !== undefined && this.#pending.usage === undefined) {
      this.#pending.usage = event;
      this.flush();
    } else
      this.#owed = this.#owed === undefined ? event : { ...plus(plus({}, this.#owed), event), model: this.#owed.model };
  }

  retry(): void {
    this.stream.retry();
    if (this.#turn === undefined || this.#turn.done || this.#turn.last !== 'text') this.#attempts += 1;
  }

  /** A tool result on the main thread: what follows is another answer. */
  endAnswer(): void {
    if (this.#turn === undefined) return;
    this.#turn.done = true;
    this.#attempts = 0;
  }

  get #isFull(): boolean {
    return (this.#pending?.content.length ?? 0) >= mostBlocks;
  }

  #enterMessage(event: EventOf<'text.delta' | 'reasoning.delta'>): void {
    if (event.type !== 'text.delta') return this.stream.start();
    if (this.stream.isOfAnother(event.message_id)) this.stop();
    this.stream.enter(event.message_id);
  }

  #add(kind: LineKind, id: string, turnId: string | undefined, parent: string | null, content: JsonObject): void {
    this.stream.closeBlock();
    const pending = this.#pending;
    const isMore =
      pending !== undefined && pending.kind === kind && pending.parent === parent && pending.usage === undefined;
    if (isMore && !this.#isFull && (pending.id === id || kind === 'tool_use')) {
      pending.content.push(content);
      return;
    }
    this.flush();
    this.#pending = { kind, id, parent, content: [content], usage: undefined };
    if (parent !== null) return;
    if (this.#output.variant === 'partial') this.stream.start();
    this.#pending.usage = this.#owed;
    this.#owed = undefined;
    this.#place(kind, id, turnId);
  }

  /** Turns have no lines: a reader infers them from the order of lines, and may see other turns than there were. */
  #place(kind: LineKind, id: string, turnId: string | undefined): void {
    const turn = this.#turn;
    const isSame = turn !== undefined && (this.stream.isOpen || turn.message === id);
    const isRepeat = kind === 'text' && turn?.last === 'text';
    const isFresh = this.stream.takeFresh();
    const looksNew = isFresh || turn === undefined || ((turn.done || (isRepeat && this.#attempts === 0)) && !isSame);
    if (isRepeat && !looksNew) this.#attempts = Math.max(0, this.#attempts - 1);
    if (turnId !== undefined && turn !== undefined && looksNew !== (turn.id !== turnId))
      this.#output.lose('turn_boundary');
    this.#turn = { id: turnId ?? turn?.id ?? '', done: false, last: kind, message: id };
    this.#emptyTurn = undefined;
  }
}
