import { type Line, margin, render } from '../../../terminal/line.ts';

/** A run that prints nothing for longer looks hung, and some CI systems kill it. */
const pulseMs = 60_000;

interface Log {
  /** Whole lines. */
  write(text: string): void;
  now(): number;
}

/** Plain lines without control sequences; after a minute of silence, one that says what is going on. */
export class Transcript {
  readonly #log: Log;
  readonly #colours: boolean;
  readonly #pulse: () => Line;
  /** Updated on each tick: reading the clock at every line would cost as much as the line. */
  #saidAt: number;
  #hasSaid = false;
  /** Lines that arrive together are written together: a write to stderr is a synchronous system call. */
  #waiting = '';
  #closed = false;

  constructor(log: Log, colours: boolean, pulse: () => Line) {
    this.#log = log;
    this.#colours = colours;
    this.#pulse = pulse;
    this.#saidAt = log.now();
  }

  say(line: Line): void {
    this.#hasSaid = true;
    if (this.#waiting === '') setImmediate(() => this.#write());
    this.#waiting += `${render(line, this.#colours, margin(line, 'log'))}\n`;
  }

  #write(): void {
    const text = this.#waiting;
    this.#waiting = '';
    if (text !== '') this.#log.write(text);
  }

  /** Time has passed. */
  tick(): void {
    const now = this.#log.now();
    const isDue = !this.#closed && !this.#hasSaid && now - this.#saidAt >= pulseMs;
    if (isDue) this.say(this.#pulse());
    if (this.#hasSaid) this.#saidAt = now;
    this.#hasSaid = false;
  }

  hide(): void {}

  rest(): void {
    this.#write();
  }

  close(): void {
    this.#closed = true;
    this.#write();
  }
}
