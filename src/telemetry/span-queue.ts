import type { Span } from './span.ts';

/** The most characters in one request: collectors refuse larger ones. */
const mostOfRequest = 2_000_000;
/** How many characters may wait for an unreachable collector. */
const mostWaiting = 32_000_000;

/** Spans that wait to be sent, limited in number and in size. */
export class SpanQueue {
  readonly #most: number;
  readonly #batch: number;
  readonly #mostCharacters: number;
  #spans: Span[] = [];
  #characters = 0;
  /** How many spans were dropped for lack of room. */
  dropped = 0;

  constructor({ most, batch, characters = mostWaiting }: { most: number; batch: number; characters?: number }) {
    this.#most = most;
    this.#mostCharacters = characters;
    this.#batch = batch;
  }

  get length(): number {
    return this.#spans.length;
  }

  /** Whether there are enough spans for a request. */
  get isFull(): boolean {
    return this.#spans.length >= this.#batch || this.#characters >= mostOfRequest;
  }

  /** The span of the run itself comes last and matters most: if there is no room, the one before it is dropped. */
  add(span: Span): void {
    this.#characters += charactersOf(span);
    while (this.#spans.length > 0 && (this.#spans.length >= this.#most || this.#characters > this.#mostCharacters)) {
      const last = this.#spans.pop();
      if (last !== undefined) this.#characters -= charactersOf(last);
      this.dropped += 1;
    }
    this.#spans.push(span);
  }

  /** As many as one request may hold. */
  take(): Span[] {
    let [count, characters] = [0, 0];
    for (const span of this.#spans) {
      characters += charactersOf(span);
      if (count > 0 && (count >= this.#batch || characters > mostOfRequest)) break;
      count += 1;
    }
    const taken = this.#spans.splice(0, count);
    for (const span of taken) this.#characters -= charactersOf(span);
    return taken;
  }

  /** Puts back spans that could not be delivered. */
  putBack(spans: readonly Span[]): void {
    this.#spans.unshift(...spans);
    for (const span of spans) this.#characters += charactersOf(span);
  }
}

/** The approximate size of a span. */
function charactersOf({ attributes, events }: Span): number {
  let sum = 500 + 200 * events.length;
  for (const value of Object.values(attributes)) sum += typeof value === 'string' ? value.length : 20;
  return sum;
}
