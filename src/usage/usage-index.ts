import { closeSync, fstatSync, openSync, readSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { messageOf, systemCode } from '../failure.ts';
import { makeFolder } from '../files/make-folder.ts';
import { BatchWriter, type Flaw, type Known, readBatches } from './batch.ts';
import { width } from './calls.ts';

/**
 * What was counted in the files of all stores, so that only what is new has to be read: batches, one after the other, of which the last one that
 * knows a file is right. Nothing is lost with it: whatever is wrong with it, the files themselves are read again.
 */
export class UsageIndex {
  readonly #path: string;
  readonly #warn: (text: string) => void;
  #flaw: Flaw | undefined;
  /** By path. */
  readonly known = new Map<string, Known>();
  /** How many entries a later one stands for. */
  #replaced = 0;

  constructor(path: string, warn: (text: string) => void) {
    this.#path = path;
    this.#warn = warn;
    try {
      const { known, flaw } = readBatches(bytesIn(path));
      for (const each of known) this.known.set(each.path, each);
      this.#flaw = flaw;
      this.#replaced = known.length - this.known.size;
      if (flaw === 'damaged') warn(`${path} is damaged and is made anew`);
    } catch (error) {
      // ENOENT: it is the first time.
      if (systemCode(error) !== 'ENOENT') this.#fail(error);
    }
  }

  /** Adds batches; what is known of files that are gone is left out when that is worth it. What is counted is right without it: on a full disk, all files are read again the next time. */
  write(batches: readonly Uint8Array[], gone: ReadonlySet<string>): void {
    const added = batches.length > 0;
    const idle = this.#replaced + gone.size;
    const isAnew = this.#flaw !== undefined || idle > this.known.size - gone.size + smallestWaste;
    if (!added && !isAnew) return;
    try {
      makeFolder(dirname(this.#path));
      if (!isAnew) return append(this.#path, batches, 'a');
      // Whoever reads the old one meanwhile reads it to its end.
      const whole = [...this.#kept(gone), ...batches];
      const next = `${this.#path}.${process.pid}`;
      try {
        append(next, whole, 'w');
        renameSync(next, this.#path);
      } catch (error) {
        rmSync(next, { force: true });
        throw error;
      }
    } catch (error) {
      this.#fail(error);
    }
  }

  #kept(gone: ReadonlySet<string>): Uint8Array[] {
    const batches: Uint8Array[] = [];
    let batch = new BatchWriter();
    for (const { usage, ...file } of this.known.values()) {
      if (gone.has(file.path)) continue;
      batch.add(file, (calls) => {
        calls.begin(usage, usage.rows.length / width);
        return usage;
      });
      if (!batch.isFull) continue;
      batches.push(batch.finish());
      batch = new BatchWriter();
    }
    return batch.isEmpty ? batches : [...batches, batch.finish()];
  }

  #fail(error: unknown): void {
    this.#warn(`${this.#path} cannot be used, so all files are read anew: ${messageOf(error)}`);
  }
}

/** So much of an index may be idle at any time. */
const smallestWaste = 100;

function bytesIn(path: string): Uint8Array<ArrayBuffer> {
  const file = openSync(path, 'r');
  try {
    const bytes = new Uint8Array(fstatSync(file).size);
    let held = 0;
    while (held < bytes.length) {
      const count = readSync(file, bytes, held, bytes.length - held, held);
      if (count === 0) break;
      held += count;
    }
    return bytes.subarray(0, held);
  } finally {
    closeSync(file);
  }
}

/** Only the user may read the names of folders and sessions. */
function append(path: string, batches: readonly Uint8Array[], flag: 'a' | 'w'): void {
  const file = openSync(path, flag, 0o600);
  try {
    for (const batch of batches)
      for (let written = 0; written < batch.length;) written += writeSync(file, batch, written);
  } finally {
    closeSync(file);
  }
}
