import { createParser } from 'eventsource-parser';

/** A longer event is not read: no provider counts tokens in one, and a hostile one could be endless. */
const longestEvent = 16 * 1024 * 1024;
/** How much of an event may be put aside until its end has come, and in how many pieces: of a longer one, all is read. */
const mostAside = 256 * 1024;
const mostPieces = 64;
/** No word that is searched for is longer. */
const longestWord = 32;

/** Splits bytes into server-sent events, wherever they are cut into chunks. */
export class EventReader {
  readonly #decoder = new TextDecoder();
  readonly #parser: ReturnType<typeof createParser>;
  readonly #telling: () => RegExp | undefined;
  /** The beginning of an event, if the parser has not seen it. */
  #aside: Buffer[] = [];
  #size = 0;
  /** The parser has seen the beginning of an event, and must see its end. */
  #isOpen = false;
  #isTooLong = false;

  /** `telling`: events without it need not be read, as most of an answer; unset for now or for ever: all are. */
  constructor(
    onEvent: (name: string, data: string) => void,
    {
      longest = longestEvent,
      telling = () => undefined,
    }: { longest?: number; telling?: () => RegExp | undefined } = {},
  ) {
    this.#telling = telling;
    this.#parser = createParser({
      maxBufferSize: longest,
      onEvent: ({ event = '', data }) => onEvent(event, data),
      onError: ({ type }) => (this.#isTooLong = type === 'max-buffer-size-exceeded'),
    });
  }

  push(chunk: Buffer): void {
    const end = endOfEvents(chunk);
    if (end === 0) return this.#putAside(chunk);
    this.#aside.push(chunk.subarray(0, end));
    if (this.#isOpen || this.#isTelling()) this.#readAside();
    this.#aside = [];
    this.#size = 0;
    this.#isOpen = false;
    if (end < chunk.length) this.#putAside(chunk.subarray(end));
  }

  /** Some servers end a stream without the empty line that ends its last event. */
  end(): void {
    this.#readAside();
    this.#feed(`${this.#decoder.decode()}\n\n`);
  }

  #isTelling(): boolean {
    const telling = this.#telling();
    if (telling === undefined) return true;
    let seam = '';
    return this.#aside.some((piece) => {
      const text = piece.toString('latin1');
      const isTelling = telling.test(text) || (seam !== '' && telling.test(seam + text.slice(0, longestWord)));
      seam = (seam + text).slice(-longestWord);
      return isTelling;
    });
  }

  #putAside(piece: Buffer): void {
    this.#aside.push(piece);
    this.#size += piece.length;
    if (this.#isOpen || this.#size > mostAside || this.#aside.length > mostPieces) this.#readAside();
  }

  #readAside(): void {
    for (const piece of this.#aside) this.#feed(this.#decoder.decode(piece, { stream: true }));
    this.#isOpen ||= this.#aside.length > 0;
    this.#aside = [];
    this.#size = 0;
  }

  #feed(text: string): void {
    this.#parser.feed(text);
    if (!this.#isTooLong) return;
    // What follows of that event is no field of any event, so it is passed over up to the next one.
    this.#parser.reset();
    this.#isTooLong = false;
  }
}

const lineFeed = 10;
const carriageReturn = 13;
/** Some lines of an event are looked at from the end. */
const mostLines = 16;

/** Where the last event ends whose end is seen, which is an empty line; 0: nowhere, or it takes too long to see. */
function endOfEvents(bytes: Buffer): number {
  let at = bytes.lastIndexOf(lineFeed);
  for (let line = 0; line < mostLines && at > 0; line++) {
    const isEmpty = bytes[at - (bytes[at - 1] === carriageReturn ? 2 : 1)] === lineFeed;
    if (isEmpty) return at + 1;
    at = bytes.lastIndexOf(lineFeed, at - 1);
  }
  return 0;
}
