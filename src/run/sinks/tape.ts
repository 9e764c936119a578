import type { EventRecord } from '../../events/event.ts';
import type { Tape, TapeWriter } from '../../tapes/tape.ts';
import type { Sink } from './sink.ts';

/** Writes every record to a tape that the caller provides. Throws `Failure` when it cannot be written at all. */
export class TapeSink implements Sink {
  readonly writesRecords = true;
  readonly #writer: TapeWriter;

  constructor(tape: Tape, warn: (message: string) => void) {
    this.#writer = tape.write({ onTrouble: warn });
  }

  record(record: EventRecord): void {
    this.#writer.record(record);
  }

  keep(): void {
    this.#writer.keep?.();
  }

  async close(): Promise<void> {
    await this.#writer.end();
  }
}
