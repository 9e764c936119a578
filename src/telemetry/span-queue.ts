import type { Span } from './span.ts';

/** Characters of one request: collectors refuse one that is too large. */
const mostOfRequest = 2_000_000;
/** Characters that may wait for a collector that is away. */
const mostWaiting = 32_000_000;

/** Spans that wait to be sent: so many, and no more than so much of them. */
export class SpanQueue {
  readonly #most: number;
  readonly #batch: number;
  readonly #mostCharacters: number;
  #spans: Span[] = [];
  #characters = 0;
  /** How many had no place. */
  dropped = 0;

  constructor({ most, batch, characters = mostWaiting }: { most: number; batch: number; characters?: number }) {
    this.#most = most;
    this.#mostCharacters = characters;
    this.#batch = batch;
  }

  get length(): number {
    return this.#spans.length;
  }

  /** Whether there is enough for a request. */
  get isFull(): boolean {
    return this.#spans.length >= this.#batch || this.#characters >= mostOfRequest;
  }

  /** The span of the run itself comes last, and is worth more than any other: where there is no room, the one before it goes. */
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

  /** Nobody took them. */
  putBack(spans: readonly Span[]): void {
    this.#spans.unshift(...spans);
    for (const span of spans) this.#characters += charactersOf(span);
  }
}

/** About how much a span holds. */
function charactersOf({ attributes, events }: Span): number {
  let sum = 500 + 200 * events.length;
  for (const value of Object.values(attributes)) sum += typeof value === 'string' ? value.length : 20;
  return sum;
}
