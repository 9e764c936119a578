import { present } from '../json/present.ts';
import type { ImportedRun } from '../stores/run-store.ts';
import type { Tapes } from '../tapes/tape.ts';

type Taped = Pick<ImportedRun, 'tape' | 'tape_sha256'>;

/** The tape of a run that is imported, so that it can be read like any other; without one where its source cannot be read again, such as standard input. */
export class ImportTape {
  readonly #tapes: Tapes | undefined;
  #remove: (() => Promise<void>) | undefined;

  constructor(tapes: Tapes | undefined) {
    this.#tapes = tapes;
  }

  async write({ id, started_at: at, last_sequence: last, records, tape: known }: ImportedRun): Promise<Taped> {
    if (this.#tapes === undefined || records === undefined || known !== undefined) return {};
    const { key, tape } = this.#tapes.create(id, at);
    // Another import may be writing it, or has: what is there is not ours to replace.
    if ((await tape.size()) !== undefined) return {};
    let trouble = false;
    let written = 0;
    let sha256: string | undefined;
    try {
      const writer = tape.write({ onTrouble: () => void (trouble = true) });
      this.#remove = () => tape.remove();
      try {
        await records((record) => {
          written = record.sequence;
          writer.record(record);
        });
      } finally {
        sha256 = (await writer.end()) ?? undefined;
      }
    } catch {
      trouble = true;
    }
    // A session that grew meanwhile is another run.
    if (trouble || written !== last) {
      await this.remove();
      return {};
    }
    return { tape: key, ...present({ tape_sha256: sha256 }) };
  }

  /** The run was not added after all. */
  async remove(): Promise<void> {
    await this.#remove?.().catch(() => {});
    this.#remove = undefined;
  }
}
