import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, fstatSync, openSync, readSync, watch, type FSWatcher } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { systemTool } from './namespace.ts';

const piece = 64 * 1024;
/** Polled as well, because watches may fail: not every file system reports changes, and the number of watches is limited. */
const pollTime = 50;
/** How much may be read before its disk space is freed. */
const kept = 64 * 1024 * 1024;
const block = 4096;
/** This many of the last bytes are read again, to check that they are still there. */
const overlap = 64;

type Reader = (bytes: Uint8Array) => void | Promise<void>;

/**
 * A file that others write and we read as it grows; it may be unlinked as soon as it is created. Unlike a pipe it is never full:
 * a writer need not wait for the reader, and what was written before an early exit is not lost.
 */
export class FollowedFile {
  /** For the process that writes. It appends, because several processes may write without knowing of each other. */
  readonly writer: number;
  /** Settles when everything has been read after `finish`, or after `cut`; rejects with what the reader threw. */
  readonly done: Promise<void>;
  readonly #file: number;
  readonly #watcher: FSWatcher | undefined;
  readonly #poll: NodeJS.Timeout;
  readonly #buffer = Buffer.allocUnsafe(overlap + piece);
  #at = 0;
  /** How far the reader has finished processing. */
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

  /** The path must be new, in a folder that only we use. `onUnread` is called whenever the amount of unread data may have changed. */
  constructor(path: string, reader: Reader, onUnread: () => void) {
    this.#onUnread = onUnread;
    this.writer = openSync(path, 'ax', 0o600);
    this.#file = openSync(path, 'r');
    this.#watcher = this.#watch(path);
    this.#poll = setInterval(() => this.#news(), pollTime).unref();
    this.done = this.#follow(reader).finally(() => this.#close());
  }

  /** To be called when the writing process has its own copy of the descriptor, or was not started. */
  closeWriter(): void {
    closeSync(this.writer);
  }

  /** Bytes that were written and not read. */
  get unread(): number {
    return this.#isClosed ? this.#unreadAtEnd : Math.max(0, fstatSync(this.#file).size - this.#at);
  }

  /** When it was last written to, in ns. */
  get writtenAt(): bigint {
    return this.#isClosed ? 0n : fstatSync(this.#file, { bigint: true }).mtimeNs;
  }

  /** Settles when the reader has processed what is there now, or when patience runs out; undefined: it already has. */
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

  /** Stops reading, even if something is still writing. */
  cut(): void {
    this.#isCut = true;
    this.#endWait();
    this.#wake();
  }

  /** No one writes any more: what is there now is everything. */
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
        // There is more to read, but other work should get its turn first.
        if (bytes.length === piece) await nextTurn();
        this.#onUnread();
      } else if (isEnd) return;
      else if (!this.#hasNews) await new Promise<void>((resolve) => void (this.#wake = resolve));
    }
  }

  /** A new promise for each wait: one that lived as long as the file would keep a reaction for every wait. */
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
      // A process opened /dev/stdout with `>`, which truncates the file: everything in it now is new, and what was written just
      // before is lost.
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

  /** Frees the disk space of what was read, so that a flood of output does not fill the disk; where that is not possible, the file just grows. */
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

/**
 * Node has no call for this, but util-linux has a program. It exits immediately and starts nothing, so it needs no guard. Never
 * searched for in PATH, which may begin with a folder of the repository.
 */
async function punchHole(file: number, offset: number, length: number): Promise<boolean> {
  const args = ['--punch-hole', '--offset', String(offset), '--length', String(length), '/proc/self/fd/0'];
  const program = systemTool('fallocate');
  if (program === undefined) return false;
  const child = spawn(program, args, { env: {}, stdio: [file, 'ignore', 'ignore'] });
  try {
    const [code] = await once(child, 'exit');
    return code === 0;
  } catch {
    return false;
  }
}
