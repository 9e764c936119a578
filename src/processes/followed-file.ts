import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, fstatSync, openSync, readSync, watch, type FSWatcher } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';

const piece = 64 * 1024;
/** Watches may be missing: not every file system tells, and the number of watches is limited. */
const pollTime = 50;
/** How much may be read before its place on the disk is given back. */
const kept = 64 * 1024 * 1024;
const block = 4096;
/** So much of what was read last is read again, to see that it is still there. */
const overlap = 64;

type Reader = (bytes: Uint8Array) => void | Promise<void>;

/**
 * A file that others write and we read as it grows; it may lose its name as soon as it is made. Unlike a pipe it is never full:
 * a writer need not wait for the reader, and what was written before an early exit is there.
 */
export class FollowedFile {
  /** For the process that writes. It appends, because several may write and none may know of the others. */
  readonly writer: number;
  /** Settles when all has been read after `finish`, or after `cut`; or rejects with what the reader threw. */
  readonly done: Promise<void>;
  readonly #file: number;
  readonly #watcher: FSWatcher | undefined;
  readonly #poll: NodeJS.Timeout;
  readonly #buffer = Buffer.allocUnsafe(overlap + piece);
  #at = 0;
  /** So far the reader has done what it does with it. */
  #taken = 0;
  #onTaken = (): void => {};
  #last = Buffer.alloc(0);
  #isFinishing = false;
  #hasNews = false;
  #wake = (): void => {};
  #isCut = false;
  #endWait = (): void => {};
  readonly #onUnread: () => void;
  #freed = 0;
  #isClosed = false;
  #unreadAtEnd = 0;
  #canFree = process.platform === 'linux';
  #freeing: Promise<void> | undefined;

  /** The path must be new, in a folder that is ours alone. `onUnread` is called whenever there may be more, or less, to read. */
  constructor(path: string, reader: Reader, onUnread: () => void) {
    this.#onUnread = onUnread;
    this.writer = openSync(path, 'ax', 0o600);
    this.#file = openSync(path, 'r');
    this.#watcher = this.#watch(path);
    this.#poll = setInterval(() => this.#news(), pollTime).unref();
    this.done = this.#follow(reader).finally(() => this.#close());
  }

  /** To be called when the process that writes has its own copy, or was not started. */
  closeWriter(): void {
    closeSync(this.writer);
  }

  /** Bytes that were written and not read. */
  get unread(): number {
    return this.#isClosed ? this.#unreadAtEnd : Math.max(0, fstatSync(this.#file).size - this.#at);
  }

  /** When somebody wrote to it last, in ns. */
  get writtenAt(): bigint {
    return this.#isClosed ? 0n : fstatSync(this.#file, { bigint: true }).mtimeNs;
  }

  /** For one who waits: settles when the reader has taken what is there now, or after so long; undefined: it has. */
  caughtUp(patienceMs: number): Promise<void> | undefined {
    const size = this.#isClosed ? 0 : fstatSync(this.#file).size;
    if (this.#taken >= size) return undefined;
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, patienceMs);
      this.#onTaken = () => {
        if (this.#taken < size && !this.#isClosed) return;
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** No more is read, whoever may be writing. */
  cut(): void {
    this.#isCut = true;
    this.#endWait();
    this.#wake();
  }

  /** Nobody writes any more: what is there is the end. */
  finish(): Promise<void> {
    this.#isFinishing = true;
    this.#news();
    return this.done;
  }

  #watch(path: string): FSWatcher | undefined {
    try {
      return watch(path, { persistent: false }, () => this.#news()).on('error', () => {});
    } catch {
      return undefined;
    }
  }

  #news(): void {
    this.#hasNews = true;
    this.#wake();
    this.#onUnread();
  }

  async #follow(reader: Reader): Promise<void> {
    while (!this.#isCut) {
      const isEnd = this.#isFinishing;
      this.#hasNews = false;
      const bytes = this.#read();
      if (bytes.length > 0) {
        const taken = reader(bytes);
        if (taken !== undefined) await this.#unlessCut(taken);
        this.#taken = this.#at;
        this.#onTaken();
        this.#freeSpace();
        // More is waiting, and others wait for their turn.
        if (bytes.length === piece) await nextTurn();
        this.#onUnread();
      } else if (isEnd) return;
      else if (!this.#hasNews) await new Promise<void>((resolve) => void (this.#wake = resolve));
    }
  }

  /** A promise of its own for each wait: one that lives as long as the file would remember every one of them. */
  #unlessCut(taken: Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#endWait = resolve;
      taken.then(resolve, reject);
    });
  }

  #read(): Uint8Array {
    const known = this.#last.length;
    const length = readSync(this.#file, this.#buffer, 0, known + piece, this.#at - known);
    if (length < known || !this.#buffer.subarray(0, known).equals(this.#last)) {
      // Somebody opened /dev/stdout with `>`, which empties a file: what is in it now is new from its beginning, and what was
      // written in the moment before is gone.
      this.#at = 0;
      this.#freed = 0;
      this.#last = Buffer.alloc(0);
      return this.#read();
    }
    if (length === known) return this.#last.subarray(0, 0);
    this.#at += length - known;
    this.#last = Buffer.from(this.#buffer.subarray(Math.max(0, length - overlap), length));
    return this.#buffer.subarray(known, length);
  }

  /** Gives back the space of what was read, so that a flood does not fill the disk; if it cannot be done, the file just grows. */
  #freeSpace(): void {
    const until = Math.floor((this.#at - overlap) / block) * block;
    if (until - this.#freed < kept || this.#freeing !== undefined || !this.#canFree) return;
    this.#freeing = punchHole(this.#file, this.#freed, until - this.#freed).then((isDone) => {
      this.#freeing = undefined;
      this.#canFree &&= isDone;
      this.#freeSpace();
    });
    this.#freed = until;
  }

  async #close(): Promise<void> {
    clearInterval(this.#poll);
    this.#watcher?.close();
    this.#canFree = false;
    await this.#freeing;
    this.#unreadAtEnd = this.unread;
    this.#isClosed = true;
    this.#onTaken();
    closeSync(this.#file);
  }
}

/** Node has no call for this, util-linux has a program. It is over at once and starts nothing, so it needs no guard. */
async function punchHole(file: number, offset: number, length: number): Promise<boolean> {
  const args = ['--punch-hole', '--offset', String(offset), '--length', String(length), '/proc/self/fd/0'];
  const child = spawn('fallocate', args, { env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin' }, stdio: [file, 'ignore', 'ignore'] });
  try {
    const [code] = await once(child, 'exit');
    return code === 0;
  } catch {
    return false;
  }
}
