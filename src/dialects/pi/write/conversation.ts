import type { EventOf } from '../../../events/event.ts';
import { present } from '../../../json/present.ts';
import type { JsonObject } from '../../../json/json.ts';
import { stopReasons } from '../words.ts';
import { Message } from './message.ts';
import { noUsage, type Usage } from './usage.ts';

/** No more prompts than this wait for the turn to which they belong. */
const maxPrompts = 100;

/** Runs, their turns and the messages in them: each is opened when it is needed and closed before the next. */
export class Conversation {
  model = '';
  /** A turn's end is held back: only what follows shows whether it is the last, and whether it failed for good. */
  turnEnd: EventOf<'turn.completed'> | undefined;
  readonly #line: (wire: JsonObject) => void;
  readonly #usage: Usage;
  #prompts: { text: string; timestamp: string | null }[] = [];
  #runOpen = false;
  #turnOpen = false;
  /** The assistant message of the turn. */
  #message: Message | undefined;
  #toolResults: JsonObject[] = [];
  #retry: number | undefined;

  constructor(line: (wire: JsonObject) => void, usage: Usage) {
    this.#line = line;
    this.#usage = usage;
  }

  get message(): Message | undefined {
    return this.#message;
  }

  /** Written in the open turn, or else in the next one. */
  prompt(text: string, timestamp: string | null): void {
    this.#prompts.push({ text, timestamp });
    if (this.#turnOpen) this.#writePrompts();
    else if (this.#prompts.length > maxPrompts) this.openTurn();
  }

  openTurn(): void {
    if (!this.#runOpen) this.#line({ type: 'agent_start' });
    this.#runOpen = true;
    if (this.#turnOpen) return;
    this.#turnOpen = true;
    this.#line({ type: 'turn_start' });
    this.#writePrompts();
  }

  openMessage(timestamp: string | null, id?: string): Message {
    // A turn here is one model call and one message: text after a call's result, or of another message, belongs to the next.
    const open = this.#message;
    if (open !== undefined && !open.isClosed && id !== undefined && open.id !== id) {
      if (open.id === undefined) open.id = id;
      else this.closeMessage('stop');
    }
    if (this.#message?.isClosed === true) this.writeTurnEnd();
    this.openTurn();
    if (this.#message !== undefined) return this.#message;
    const message = new Message(id, timestamp);
    this.#message = message;
    this.#line({ type: 'message_start', message: this.#assistant(message, noUsage, 'stop') });
    return message;
  }

  closeMessage(stopReason: string, error?: string): void {
    const message = this.#message ?? this.openMessage(null);
    if (message.isClosed) return;
    message.final = this.#assistant(message, this.#usage.take(), stopReason, error);
    this.#line({ type: 'message_end', message: message.final });
    if (this.#retry !== undefined && stopReason !== 'error') {
      this.#line({ type: 'auto_retry_end', success: true, attempt: this.#retry });
      this.#retry = undefined;
    }
  }

  /** A tool's result is part of its turn. */
  addToolResult(message: JsonObject): void {
    this.#line({ type: 'message_start', message });
    this.#line({ type: 'message_end', message });
    this.#toolResults.push(message);
  }

  /** The turn whose end was held back is not the last one. */
  settleTurn(areCallsOpen: boolean, error?: string): JsonObject | undefined {
    if (this.turnEnd === undefined) return undefined;
    const reason = this.turnEnd.finish_reason ?? (areCallsOpen ? 'tool_calls' : 'stop');
    if (this.#message?.isClosed !== true) this.closeMessage(stopReasons[reason], error);
    return this.writeTurnEnd();
  }

  /** Returns its message. */
  writeTurnEnd(): JsonObject | undefined {
    const final = this.#message?.final;
    this.#line({ type: 'turn_end', ...present({ message: final }), toolResults: this.#toolResults });
    this.#toolResults = [];
    this.#turnOpen = false;
    this.#message = undefined;
    this.turnEnd = undefined;
    return final;
  }

  writeRunEnd(final: JsonObject | undefined): void {
    this.#line({ type: 'agent_end', messages: final === undefined ? [] : [final] });
    this.#runOpen = false;
  }

  scheduleRetry(event: EventOf<'retry.scheduled'>, areCallsOpen: boolean): void {
    if (this.turnEnd !== undefined) this.writeRunEnd(this.settleTurn(areCallsOpen, event.cause));
    const attempt = event.attempt ?? (this.#retry ?? 0) + 1;
    this.#retry = attempt;
    this.#line({
      type: 'auto_retry_start',
      attempt,
      maxAttempts: event.max_attempts ?? attempt,
      delayMs: event.delay_ms ?? 0,
      errorMessage: event.cause,
    });
  }

  /** The run ended in an error, so the retry did not help. */
  failRetry(error: string | undefined): void {
    if (this.#retry === undefined) return;
    this.#line({
      type: 'auto_retry_end',
      success: false,
      attempt: this.#retry,
      ...present({ finalError: error }),
    });
  }

  #writePrompts(): void {
    for (const { text, timestamp } of this.#prompts) {
      const message = { role: 'user', content: [{ type: 'text', text }], ...at(timestamp) };
      this.#line({ type: 'message_start', message });
      this.#line({ type: 'message_end', message });
    }
    this.#prompts = [];
  }

  #assistant(message: Message, usage: JsonObject, stopReason: string, error?: string): JsonObject {
    return {
      role: 'assistant',
      content: message.content,
      api: 'unknown',
      provider: 'unknown',
      model: this.model,
      usage,
      stopReason,
      ...at(message.timestamp),
      ...present({ errorMessage: error }),
    };
  }
}

export function at(timestamp: string | null): { timestamp?: number } {
  return timestamp === null ? {} : { timestamp: Date.parse(timestamp) };
}
