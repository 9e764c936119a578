import { closeSync, openSync, writeSync } from 'node:fs';
import { runwire } from '../../dialects/runwire/index.ts';
import type { EventRecord } from '../../events/event.ts';
import { Failure } from '../../failure.ts';
import { writable, Writer } from '../../pipeline/writer.ts';

/** Every record in a file, a line each, written as it happens: a kill leaves all that was told before it. */
export class Tape {
  readonly #path: string;
  readonly #onError: (message: string) => void;
  readonly #writer = new Writer(...writable(runwire));
  #file: number | undefined;

  constructor(path: string, onError: (message: string) => void) {
    this.#path = path;
    this.#onError = onError;
    try {
      this.#file = openSync(path, 'w');
    } catch (error) {
      throw new Failure('input', `cannot write ${path}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
    }
  }

  record(record: EventRecord): void {
    this.#writer.record(record);
    this.#write(this.#writer.take());
  }

  end(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  /** A disk that is full must not end the run; the tape stops, and says so. */
  #write(text: string): void {
    if (this.#file === undefined) return;
    try {
      const bytes = Buffer.from(text);
      for (let at = 0; at < bytes.length;) at += writeSync(this.#file, bytes, at);
    } catch (error) {
      this.end();
      this.#onError(`${this.#path}: the tape stops here: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}
