import type { Dialect } from '../dialects/dialect.ts';
import type { Note } from '../outcome/fold.ts';
import type { RunOutcome } from '../outcome/outcome.ts';
import type { Price } from '../outcome/price.ts';
import { present } from '../present.ts';
import { LineDecoder, type LineDecoderOptions } from './line-decoder.ts';
import { type ProcessEnd, Thread, type ThreadOptions } from './thread.ts';

export interface ReaderOptions extends ThreadOptions, Omit<LineDecoderOptions, 'live'> {}

/** The whole pure pipeline as one machine: bytes → lines → drafts → repaired and clean records → outcome. */
export class Reader {
  readonly #thread: Thread;
  readonly #lines: LineDecoder;
  #hasAll = false;

  constructor(options: ReaderOptions = {}) {
    const { dialect, onDialect, maxLineBytes, clock } = options;
    this.#thread = new Thread(options);
    this.#lines = new LineDecoder(this.#thread, { live: clock !== undefined, ...present({ dialect, onDialect, maxLineBytes }) });
  }

  stdout(chunk: Uint8Array): void {
    this.#lines.stdout(chunk);
  }

  /** May be called at any time; a stored run's stderr comes after its stdout. */
  stderr(chunk: Uint8Array): void {
    this.#lines.stderr(chunk);
  }

  get dialect(): Dialect | undefined {
    return this.#lines.dialect;
  }

  /** The input is over: an unterminated last line and a complete document are read too. */
  endInput(process?: ProcessEnd): void {
    if (!this.#hasAll) this.#lines.end(process);
    this.#hasAll = true;
  }

  /** Tokens are known but their cost is not: a price table would help. Final only once the input has ended. */
  get needsPrice(): boolean {
    return this.#thread.needsPrice;
  }

  get notes(): Note[] {
    return this.#thread.notes;
  }

  /** Ends the run: closes what is open, determines the verdict and emits `thread.completed` as the last record. */
  end(process?: ProcessEnd, price?: Price): RunOutcome {
    this.endInput(process);
    return this.#thread.end(this.#lines.dialect?.id ?? 'unknown', process, price);
  }
}
