const largeFile = 16 * 1024 * 1024;
const redrawMs = 200;

/** One line on a terminal while a large file is read: share, rate, time left. Silent everywhere else. */
export class Progress {
  readonly #name: string;
  readonly #total: number;
  readonly #terminal: NodeJS.WriteStream;
  readonly #shown: boolean;
  readonly #start = performance.now();
  #done = 0;
  #drawn = 0;

  constructor(name: string, total: number, terminal: NodeJS.WriteStream) {
    this.#name = name;
    this.#total = total;
    this.#terminal = terminal;
    this.#shown = terminal.isTTY && total >= largeFile;
  }

  advance(bytes: number): void {
    this.#done += bytes;
    if (!this.#shown) return;
    const now = performance.now();
    if (now - this.#drawn < redrawMs) return;
    this.#drawn = now;
    const seconds = (now - this.#start) / 1000;
    const rate = this.#done / Math.max(seconds, 0.001);
    const left = Math.max(0, Math.ceil((this.#total - this.#done) / rate));
    const share = Math.min(100, Math.floor((100 * this.#done) / this.#total));
    this.#terminal.write(`\r\u001b[K${this.#name}: ${share}%  ${(rate / 1e6).toFixed(0)} MB/s  ${left} s left`);
  }

  clear(): void {
    if (this.#drawn > 0) this.#terminal.write('\r\u001b[K');
  }
}
