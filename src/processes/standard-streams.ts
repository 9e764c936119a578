import { closeSync, mkdirSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Failure, messageOf } from '../failure.ts';
import { FollowedFile } from './followed-file.ts';
import type { ProcessOrder } from './supervised.ts';

/** One reader that is blocked must not keep the other waiting for ever. */
const patienceMs = 1000;

/**
 * The standard streams of a process, all of them unlinked files, except the stdin of a process that talks. A file for stdin ends by itself,
 * can be read late, twice or not at all, and can be reopened as /dev/stdin, which is not possible with the sockets that Node uses as pipes.
 */
export class StandardStreams {
  readonly stdio: readonly [stdin: number | 'ignore' | 'pipe', stdout: number, stderr: number];
  readonly #outputs: FollowedFile[] = [];
  #onUnread: (bytes: number) => void = () => {};

  constructor(
    folder: string,
    { stdin, talks, onStdout, onStderr }: Pick<ProcessOrder, 'stdin' | 'talks' | 'onStdout' | 'onStderr'>,
  ) {
    try {
      mkdirSync(folder, 0o700);
    } catch (error) {
      throw noFolder(error);
    }
    try {
      const stdout = this.#open(join(folder, 'stdout'), onStdout);
      const stderr = this.#open(join(folder, 'stderr'), (bytes) => this.#inOrder(bytes, onStderr));
      const input = talks === true ? 'pipe' : stdin === undefined ? 'ignore' : openInput(join(folder, 'stdin'), stdin);
      this.stdio = [input, stdout.writer, stderr.writer];
    } catch (error) {
      for (const file of this.#outputs) file.closeWriter();
      void this.finish();
      throw noFolder(error);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  #open(path: string, reader: ProcessOrder['onStdout']): FollowedFile {
    const file = new FollowedFile(path, reader, () => this.#onUnread(this.unread));
    this.#outputs.push(file);
    return file;
  }

  /** Earlier stdout output is processed first: a question on stderr is not answered by output that preceded it. */
  #inOrder(bytes: Uint8Array, reader: ProcessOrder['onStderr']): void | Promise<void> {
    const [stdout, stderr] = this.#outputs;
    if (stdout === undefined || stderr === undefined || stdout.writtenAt > stderr.writtenAt) return reader(bytes);
    return stdout.caughtUp(patienceMs)?.then(() => reader(bytes)) ?? reader(bytes);
  }

  /** To be called when the process has its own copies of the descriptors, or could not be started. */
  closeCopies(): void {
    for (const file of this.#outputs) file.closeWriter();
    if (typeof this.stdio[0] === 'number') closeSync(this.stdio[0]);
  }

  /** Calls back when a reader fails, after which no one listens to that stream any more. */
  onFailure(failed: (error: unknown) => void): void {
    for (const file of this.#outputs) file.done.catch(failed);
  }

  /** Bytes that were written and not handed over. */
  get unread(): number {
    return this.#outputs.reduce((sum, file) => sum + file.unread, 0);
  }

  /** Calls back as that number changes. */
  onUnread(changed: (bytes: number) => void): void {
    this.#onUnread = changed;
  }

  /** Nothing more is handed over. */
  cut(): void {
    for (const file of this.#outputs) file.cut();
  }

  /** No one writes any more; settles when everything has been handed over. */
  async finish(): Promise<void> {
    await Promise.allSettled(this.#outputs.map((file) => file.finish()));
  }
}

function openInput(path: string, text: string): number {
  writeFileSync(path, text, { flag: 'wx', mode: 0o600 });
  return openSync(path, 'r');
}

function noFolder(cause: unknown): Failure {
  const why = messageOf(cause);
  return new Failure(
    'config',
    `no temporary file can be made in ${tmpdir()}: ${why}; set TMPDIR to a folder that has room and can be written`,
    {
      cause,
    },
  );
}
