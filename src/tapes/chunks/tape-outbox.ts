import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileTape } from '../file-tape.ts';
import { filesIn } from '../../files/files-in.ts';
import { makeFolder } from '../../files/make-folder.ts';
import { isGone, type Owner, thisProcess } from '../../processes/owner.ts';
import type { Tape } from '../tape.ts';
import { readAddress, type TapeId } from './chunk.ts';

/** A tape that is not fully delivered. */
export interface PendingTape {
  /** Where it is to be kept. */
  address: string;
  tape: TapeId;
  local: Tape;
}

interface Note {
  address: string;
  /** Which ledger has its index: several may share a folder. */
  ledger: string;
  /** Absent: nobody is writing it any longer. */
  owner?: Owner;
}

/** Tapes on this machine that are not yet fully delivered; a note beside each says where it belongs. */
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

  /** Called before the first byte of the tape, so that a kill at any moment never leaves a tape without a known destination. */
  begin(tape: TapeId, address: string): void {
    const note = { address, ledger: this.#ledger, owner: thisProcess() };
    try {
      makeFolder(this.#folder);
      this.#note(tape, note);
    } catch {
      // A container often has no other writable folder; a tape that is delivered as it grows needs it only for a moment.
      this.#folder = mkdtempSync(join(tmpdir(), 'runwire-outbox-'));
      this.#note(tape, note);
    }
  }

  /** Its writer is done with it: the next process may deliver it. */
  release(tape: TapeId, address: string): void {
    this.#note(tape, { address, ledger: this.#ledger });
  }

  /** Removes the local tape once all of it is delivered. */
  async remove(tape: TapeId): Promise<void> {
    await this.local(tape).remove();
    rmSync(`${this.#pathOf(tape)}${noteEnding}`, { force: true });
  }

  /** Keeps a damaged tape for inspection; its readable part has been delivered. */
  setAside(tape: TapeId): void {
    const path = this.#pathOf(tape);
    renameSync(`${path}${tapeEnding}`, `${path}.broken`);
    rmSync(`${path}${noteEnding}`, { force: true });
  }

  /** Tapes of this ledger that nobody is writing any longer, oldest first. */
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

  /** Notes are written only by this file; an unreadable one is left where it is. */
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
