import type { Sink } from './sink.ts';

/** Characters that may wait for a slow reader before the agent's output has to. */
const roomFor = 1 << 20;

/** The way to stdout: keeps the order, waits for a slow reader without holding up the run, and learns when the reader is gone. */
export class Outlet implements Sink {
  readonly #print: (pieces: readonly string[]) => Promise<void>;
  readonly #onClosed: () => void;
  #waiting: string[] = [];
  #characters = 0;
  /** Settled when all is handed over. */
  #pumping: PromiseWithResolvers<void> | undefined;
  #closed = false;

  constructor(print: (pieces: readonly string[]) => Promise<void>, onClosed: () => void) {
    this.#print = print;
    this.#onClosed = onClosed;
  }

  write(...pieces: readonly string[]): void {
    if (this.#closed) return;
    for (const piece of pieces) {
      if (piece === '') continue;
      this.#waiting.push(piece);
      this.#characters += piece.length;
    }
    if (this.#waiting.length === 0 || this.#pumping !== undefined) return;
    this.#pumping = Promise.withResolvers();
    void this.#pump(this.#pumping);
  }

  /** Characters that wait for the reader. */
  get unread(): number {
    return this.#characters;
  }

  ready(): Promise<void> | undefined {
    return this.#characters > roomFor ? this.#pumping?.promise : undefined;
  }

  /** Everything is handed over, or no one wants it any more. */
  async close(): Promise<void> {
    await this.#pumping?.promise;
  }

  /** The reader is there and does not read: nobody waits for it any longer. */
  giveUp(): void {
    this.#closed = true;
    this.#take();
    this.#pumping?.resolve();
  }

  async #pump(pumping: PromiseWithResolvers<void>): Promise<void> {
    try {
      while (this.#waiting.length > 0) await this.#print(this.#take());
    } catch {
      this.#closed = true;
      this.#take();
      this.#onClosed();
    } finally {
      this.#pumping = undefined;
      pumping.resolve();
    }
  }

  #take(): readonly string[] {
    const pieces = this.#waiting;
    this.#waiting = [];
    this.#characters = 0;
    return pieces;
  }
}
