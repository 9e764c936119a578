import { type Line, render } from '../../../terminal/line.ts';

/** A run that says nothing for longer looks hung, and some CI end what looks so. */
const pulseMs = 60_000;

interface Log {
  write(line: string): void;
  now(): number;
}

/** Lines one below the other, without anything a terminal would obey; after a minute of silence, one that says what goes on. */
export class Transcript {
  readonly #log: Log;
  readonly #colours: boolean;
  readonly #pulse: () => Line;
  #saidAt: number;
  #closed = false;

  constructor(log: Log, colours: boolean, pulse: () => Line) {
    this.#log = log;
    this.#colours = colours;
    this.#pulse = pulse;
    this.#saidAt = log.now();
  }

  say(line: Line): void {
    this.#saidAt = this.#log.now();
    this.#log.write(render(line, this.#colours));
  }

  /** Time has passed. */
  tick(): void {
    if (!this.#closed && this.#log.now() - this.#saidAt >= pulseMs) this.say(this.#pulse());
  }

  hide(): void {}

  close(): void {
    this.#closed = true;
  }
}
