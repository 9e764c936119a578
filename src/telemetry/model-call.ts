import type { EventOf } from '../events/event.ts';
import { tokenFields } from '../outcome/token-fields.ts';
import { attributes, spanName, type Tokens, usageAttributes } from './attributes.ts';
import { AnswerContent } from './content.ts';
import { names, operations } from './names.ts';
import { modelName, providerOf } from './providers.ts';
import type { Span } from './span.ts';

/** What is known about the caller of the model. */
export interface Caller {
  agent: string | undefined;
  session: string | undefined;
}

/** One turn of an agent, which is one model call if the agent reports its calls. */
export class ModelCall {
  readonly sequence: number;
  readonly #start: number;
  readonly #content: AnswerContent | undefined;
  readonly #usage: Tokens = {};
  #model: string | undefined;
  /** When the model produced its last output. */
  #spokeAt: number;
  #hasUsage = false;
  #hasCalls = false;
  #hasResult = false;
  #goesOn = false;
  #error: string | undefined;

  constructor(begun: {
    sequence: number;
    start: number;
    now: number;
    model: string | undefined;
    capturesContent: boolean;
  }) {
    this.sequence = begun.sequence;
    this.#start = begun.start;
    this.#spokeAt = begun.now;
    this.#model = begun.model;
    this.#content = begun.capturesContent ? new AnswerContent() : undefined;
  }

  spoke(now: number): void {
    this.#spokeAt = now;
    this.#goesOn ||= this.#hasResult;
  }

  addText({ type, text }: EventOf<'text.completed' | 'reasoning.completed'>): void {
    this.#content?.text(type === 'text.completed' ? 'text' : 'reasoning', text);
  }

  addCall(call: EventOf<'item.started'>, now: number): void {
    this.#spokeAt = now;
    this.#hasCalls = true;
    this.#content?.call(call);
  }

  /** A tool call that the model requested has ended. */
  answered(): void {
    this.#hasResult = true;
  }

  count(usage: EventOf<'usage.reported'>): void {
    this.#hasUsage = true;
    this.#model = usage.model ?? this.#model;
    for (const field of tokenFields) {
      const value = usage[field];
      if (value !== undefined) this.#usage[field] = (this.#usage[field] ?? 0) + value;
    }
  }

  failed(error: string): void {
    this.#error = error;
  }

  /** Undefined: there were several model calls, and the agent did not tell them apart. */
  span(
    finishReason: string | undefined,
    now: number,
    caller: Caller,
  ): Omit<Span, 'traceId' | 'spanId' | 'parentSpanId'> | undefined {
    if (this.#goesOn && !this.#hasUsage) return undefined;
    const reason = this.#error === undefined ? finishReason : 'error';
    const model = this.#model === undefined ? undefined : modelName(this.#model);
    return {
      name: spanName(operations.chat, model),
      kind: 'client',
      start: this.#start,
      // Tool calls that it requested may run before the turn ends.
      end: this.#hasCalls ? this.#spokeAt : now,
      attributes: attributes({
        [names.operation]: operations.chat,
        [names.provider]: providerOf(this.#model, caller.agent),
        [names.requestModel]: model,
        [names.conversation]: caller.session,
        [names.finishReasons]: reason === undefined ? undefined : [reason],
        ...usageAttributes(this.#usage),
        [names.errorType]: this.#error,
        [names.outputMessages]: this.#content?.message(reason),
      }),
      events: [],
      droppedEvents: 0,
      error: this.#error,
    };
  }
}
