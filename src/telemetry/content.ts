import type { EventOf } from '../events/event.ts';
import { cutText } from '../outcome/bounded.ts';

// What was said and done. It is exported only on request, and never without a limit.

const longestText = 16_000;
const mostParts = 100;
/** The limit for one message. */
const mostCharacters = 64_000;

type Part =
  | { type: 'text' | 'reasoning'; content: string }
  | { type: 'tool_call'; id: string; name: string; arguments: unknown };

/** A text, or a value as JSON, cut to a limit. */
export function shortened(value: unknown): string {
  return cutText(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''), longestText);
}

/** What a model said in one call. */
export class AnswerContent {
  readonly #parts: Part[] = [];
  #characters = 0;

  text(type: 'text' | 'reasoning', content: string): void {
    if (content !== '') this.#add({ type, content: shortened(content) }, content.length);
  }

  call({ item_id: id, native_name, name, args }: EventOf<'item.started'>): void {
    const text = JSON.stringify(args) ?? '';
    const given = text.length <= longestText ? args : shortened(text);
    this.#add({ type: 'tool_call', id, name: native_name ?? name, arguments: given }, text.length);
  }

  #add(part: Part, length: number): void {
    if (this.#parts.length >= mostParts || this.#characters >= mostCharacters) return;
    this.#characters += Math.min(length, longestText);
    this.#parts.push(part);
  }

  /** The message in its attribute form; undefined: nothing was said. */
  message(finishReason: string | undefined): string | undefined {
    if (this.#parts.length === 0) return undefined;
    return JSON.stringify([{ role: 'assistant', parts: this.#parts, finish_reason: finishReason ?? 'stop' }]);
  }
}

export function userMessage(text: string): string {
  return JSON.stringify([{ role: 'user', parts: [{ type: 'text', content: shortened(text) }] }]);
}

export function answerMessage(text: string, finishReason: string): string {
  return JSON.stringify([
    { role: 'assistant', parts: [{ type: 'text', content: shortened(text) }], finish_reason: finishReason },
  ]);
}
