import { createParser } from 'eventsource-parser';

/** A longer event is not read: no provider counts tokens in one, and a hostile one could be endless. */
const longestEvent = 16 * 1024 * 1024;

/** Splits bytes into server-sent events, wherever they are cut into chunks. */
export class EventReader {
  readonly #decoder = new TextDecoder();
  readonly #parser: ReturnType<typeof createParser>;
  #isTooLong = false;

  constructor(onEvent: (name: string, data: string) => void, longest = longestEvent) {
    this.#parser = createParser({
      maxBufferSize: longest,
      onEvent: ({ event = '', data }) => onEvent(event, data),
      onError: ({ type }) => (this.#isTooLong = type === 'max-buffer-size-exceeded'),
    });
  }

  push(chunk: Uint8Array): void {
    this.#feed(this.#decoder.decode(chunk, { stream: true }));
  }

  /** Some servers end a stream without the empty line that ends its last event. */
  end(): void {
    this.#feed(`${this.#decoder.decode()}\n\n`);
  }

  #feed(text: string): void {
    this.#parser.feed(text);
    if (!this.#isTooLong) return;
    // What follows of that event is no field of any event, so it is passed over up to the next one.
    this.#parser.reset();
    this.#isTooLong = false;
  }
}
