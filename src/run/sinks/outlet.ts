import type { Sink } from './sink.ts';

/** Characters that may wait for a slow reader before the agent's output has to. */
const roomFor = 1 << 20;

/** The way to stdout: keeps the order, waits for a slow reader without holding up the run, and learns when the reader is gone. */
export class Outlet implements Sink {
  readonly #print: (text: string) => Promise<void>;
  readonly #onClosed: () => void;
  #waiting = '';
  #pumping: Promise<void> | undefined;
  #closed = false;

  constructor(print: (text: string) => Promise<void>, onClosed: () => void) {
    this.#print = print;
    this.#onClosed = onClosed;
  }

  write(text: string): void {
    if (this.#closed || text === '') return;
    this.#waiting += text;
    this.#pumping ??= this.#pump();
  }

  ready(): Promise<void> | undefined {
    return this.#waiting.length > roomFor ? this.#pumping : undefined;
  }

  /** Everything is handed over, or no one wants it any more. */
  async close(): Promise<void> {
    await this.#pumping;
  }

  async #pump(): Promise<void> {
    try {
      while (this.#waiting !== '') {
        const text = this.#waiting;
        this.#waiting = '';
        await this.#print(text);
      }
    } catch {
      this.#closed = true;
      this.#waiting = '';
      this.#onClosed();
    } finally {
      this.#pumping = undefined;
    }
  }
}
