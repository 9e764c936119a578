import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileTape } from '../file-tape.ts';
import { filesIn } from '../files-in.ts';
import { makeFolder } from '../make-folder.ts';
import { isGone, thisProcess } from '../owner.ts';
import type { Owner } from '../run-store.ts';
import type { Tape } from '../tape.ts';
import { readAddress, type TapeId } from './chunk.ts';

/** A tape that is on its way. */
export interface PendingTape {
  /** Where it is to be. */
  address: string;
  tape: TapeId;
  local: Tape;
}

interface Note {
  address: string;
  /** Which ledger has its index: several may share a folder. */
  ledger: string;
  /** Absent: nobody writes it any more. */
  owner?: Owner;
}

/** Tapes on this machine that are not, or not yet wholly, where they are kept; beside each a note that says where that is. */
export class TapeOutbox {
  #folder: string;
  readonly #ledger: string;

  constructor(folder: string, ledger: string) {
    this.#folder = folder;
    this.#ledger = ledger;
  }

  local(tape: TapeId): Tape {
    return fileTape(`${this.#pathOf(tape)}${tapeEnding}`);
  }

  has(tape: TapeId): boolean {
    return existsSync(`${this.#pathOf(tape)}${tapeEnding}`);
  }

  /** Before the first byte of the tape: a kill at any moment leaves nothing of which nobody knows where it belongs. */
  begin(tape: TapeId, address: string): void {
    const note = { address, ledger: this.#ledger, owner: thisProcess() };
    try {
      makeFolder(this.#folder);
      this.#note(tape, note);
    } catch {
      // A container often has no other folder to write in; what is delivered as it goes needs it only for a moment.
      this.#folder = mkdtempSync(join(tmpdir(), 'runwire-outbox-'));
      this.#note(tape, note);
    }
  }

  /** Its writer is done with it, whoever comes next may deliver it. */
  release(tape: TapeId, address: string): void {
    this.#note(tape, { address, ledger: this.#ledger });
  }

  /** All of it is where it is kept. */
  async remove(tape: TapeId): Promise<void> {
    await this.local(tape).remove();
    rmSync(`${this.#pathOf(tape)}${noteEnding}`, { force: true });
  }

  /** What can be read of it is delivered, and the rest kept for who wants to look at it. */
  setAside(tape: TapeId): void {
    const path = this.#pathOf(tape);
    renameSync(`${path}${tapeEnding}`, `${path}.broken`);
    rmSync(`${path}${noteEnding}`, { force: true });
  }

  /** Those of this ledger that nobody writes any more, the oldest first. */
  *pending(now: number): Generator<PendingTape> {
    for (const name of filesIn(this.#folder, noteEnding)) {
      const note = this.#read(name);
      const found = note?.ledger === this.#ledger ? readAddress(note.address) : undefined;
      if (note === undefined || found === undefined) continue;
      if (note.owner !== undefined && !isGone({ owner: note.owner, heartbeat_at: now }, now)) continue;
      const { tape } = found;
      if (this.has(tape)) yield { address: note.address, tape, local: this.local(tape) };
      else rmSync(join(this.#folder, name), { force: true });
    }
  }

  #note(tape: TapeId, note: Note): void {
    const path = `${this.#pathOf(tape)}${noteEnding}`;
    writeFileSync(`${path}.new`, JSON.stringify(note), { mode: 0o600 });
    renameSync(`${path}.new`, path);
  }

  /** Written by this file alone; one that cannot be read is left where it is. */
  #read(name: string): Note | undefined {
    try {
      return JSON.parse(readFileSync(join(this.#folder, name), 'utf8')) as Note;
    } catch {
      return undefined;
    }
  }

  #pathOf({ run, attempt }: TapeId): string {
    return join(this.#folder, `${run}.${attempt}`);
  }
}

const tapeEnding = '.tape.zst';
const noteEnding = '.tape.json';
