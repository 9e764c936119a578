import { type Line, render } from '../../../terminal/line.ts';

/** A run that says nothing for longer looks hung, and some CI end what looks so. */
const pulseMs = 60_000;

interface Log {
  /** Whole lines. */
  write(text: string): void;
  now(): number;
}

/** Lines one below the other, without anything a terminal would obey; after a minute of silence, one that says what goes on. */
export class Transcript {
  readonly #log: Log;
  readonly #colours: boolean;
  readonly #pulse: () => Line;
  #saidAt: number;
  /** Lines that come at once are written at once: a write to stderr is a call of the system that all wait for. */
  #waiting = '';
  #closed = false;

  constructor(log: Log, colours: boolean, pulse: () => Line) {
    this.#log = log;
    this.#colours = colours;
    this.#pulse = pulse;
    this.#saidAt = log.now();
  }

  say(line: Line): void {
    this.#saidAt = this.#log.now();
    if (this.#waiting === '') setImmediate(() => this.#write());
    this.#waiting += `${render(line, this.#colours)}\n`;
  }

  #write(): void {
    const text = this.#waiting;
    this.#waiting = '';
    if (text !== '') this.#log.write(text);
  }

  /** Time has passed. */
  tick(): void {
    if (!this.#closed && this.#log.now() - this.#saidAt >= pulseMs) this.say(this.#pulse());
  }

  hide(): void {}

  close(): void {
    this.#closed = true;
    this.#write();
  }
}
