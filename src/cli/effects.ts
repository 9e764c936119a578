import { writeSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { timeInWords } from '../time/duration.ts';
import { exitCodes, Failure, interruptCodes, systemCode } from '../failure.ts';
import { startWatchdog } from '../processes/watchdog.ts';
import { hideEnvironment } from '../processes/own-environment.ts';
import { oneLine, ownLine, prefix, spellOut } from '../terminal/plain.ts';
import type { Context, LastWords } from './context.ts';
import { Progress } from './progress.ts';
import { afterOutput, print, show, writeOutNow } from './stdout.ts';

/** How much is processed at once: V8 stores longer texts separately, and is slower with them. */
const chunkBytes = 64 * 1024;
/** How much is read at once: every read has a fixed cost, during which nothing else is done. */
const readBytes = 512 * 1024;

export function realContext(): Context {
  return {
    env: process.env,
    stdin: readStdin(),
    stdinIsTerminal: process.stdin.isTTY,
    stdoutIsTerminal: process.stdout.isTTY,
    get stderrIsTerminal() {
      return process.stderr.isTTY;
    },
    get cwd() {
      return workingFolder();
    },
    get columns() {
      return process.stdout.columns;
    },
    readFile,
    print,
    show,
    warn,
    draw,
    // A terminal that does not know its size reports 0.
    stderrSize: () => ({ columns: process.stderr.columns || 80, rows: process.stderr.rows || 24 }),
    sleep: (ms) => new Promise((resolve) => void setTimeout(resolve, ms)),
    now: Date.now,
    onSignal,
    onCrash,
    watchTime,
    hideEnvironment,
    leaveSoon,
  };
}

/** Asked for by every command that needs one: a shell may stand in a folder that somebody has deleted. */
function workingFolder(): string {
  try {
    return process.cwd();
  } catch (error) {
    throw new Failure('config', 'the working directory does not exist any more: change to another one', {
      cause: error,
    });
  }
}

let heard = false;

function draw(text: string): void {
  hearErrors();
  process.stderr.write(text);
}

/** If nobody reads stderr, or it cannot be written, that must not end a run. */
function hearErrors(): void {
  if (!heard) process.stderr.on('error', () => {});
  heard = true;
}

/** Sentences are made safe wherever they go; data for programs only on a terminal. */
function warn(line: string): void {
  if (line.startsWith(prefix)) return draw(`${ownLine(line.slice(prefix.length))}\n`);
  draw(`${process.stderr.isTTY ? spellOut(line) : line}\n`);
}

const patientSignals = 2;

/** The third signal ends the process whatever it is waiting for, such as a reader of stdout that has stalled. */
function onSignal(listener: (signal: 'SIGINT' | 'SIGTERM') => void): () => void {
  let count = 0;
  const hear = (signal: 'SIGINT' | 'SIGTERM'): void => {
    count += 1;
    if (count > patientSignals) process.exit(interruptCodes[signal]);
    listener(signal);
  };
  process.on('SIGINT', hear).on('SIGTERM', hear);
  return () => void process.off('SIGINT', hear).off('SIGTERM', hear);
}

function onCrash(listener: (error: unknown) => void): () => void {
  process.on('uncaughtException', listener);
  return () => void process.off('uncaughtException', listener);
}

function watchTime(ms: number, lastWords?: () => LastWords): () => void {
  return startWatchdog(ms, () => {
    const exitCode = tellLast(lastWords);
    const what = `the time limit of ${timeInWords(ms)} was reached, and the run could not be ended cleanly: something in it is stuck`;
    complainNow(what);
    process.exit(exitCode);
  });
}

/** Whatever blocks the run may block the last words too. */
function tellLast(lastWords: (() => LastWords) | undefined): number {
  let exitCode: number = exitCodes.time_limit;
  try {
    const words = lastWords?.();
    exitCode = words?.exitCode ?? exitCode;
    if (words !== undefined && words.stdout !== '') writeOutNow(words.stdout);
  } catch (error) {
    if (error instanceof Failure) complainNow(error.message);
  }
  return exitCode;
}

/** The process leaves next, whether or not anybody can read this. */
function complainNow(sentence: string): void {
  try {
    writeSync(2, `${ownLine(sentence)}\n`);
  } catch {}
}

/** A kept-alive socket or a pipe that nobody closes is not worth waiting for once the run has ended. */
const closingMs = 20;

function leaveSoon(isUnread = false): void {
  // An unreferenced timer fires only if some handle is still open; by then all output must have been flushed.
  const leave = (): void => void setTimeout(() => process.exit(), closingMs).unref();
  if (isUnread) return leave();
  afterOutput(() => {
    hearErrors();
    process.stderr.write('', leave);
  });
}

async function* readFile(path: string): AsyncGenerator<Uint8Array> {
  let file: FileHandle;
  try {
    file = await (await import('node:fs/promises')).open(path);
  } catch (error) {
    throw unreadable(path, error);
  }
  try {
    const { size } = await file.stat();
    const progress = new Progress(oneLine(path), size, process.stderr);
    // The next piece is read while this one is processed.
    let [current, following] = [Buffer.allocUnsafe(readBytes), Buffer.allocUnsafe(readBytes)];
    let coming = file.read(current, 0, readBytes, null);
    try {
      for (;;) {
        const { bytesRead } = await coming;
        if (bytesRead === 0) break;
        coming = file.read(following, 0, readBytes, null);
        for (let at = 0; at < bytesRead; at += chunkBytes)
          yield current.subarray(at, Math.min(at + chunkBytes, bytesRead));
        [current, following] = [following, current];
        progress.advance(bytesRead);
        countRead(bytesRead);
      }
    } finally {
      progress.clear();
      // No read may be pending when the file is closed, even if the consumer stopped early.
      await coming.catch(() => {});
    }
  } catch (error) {
    throw isSystemError(error) ? unreadable(path, error) : error;
  } finally {
    await file.close();
  }
}

const settledAt = 32 * 1024 * 1024;
let bytesSoFar = 0;

/**
 * V8 lets its young generation grow for as long as a process allocates: by some hundred MB on a long stream, though what
 * is kept stays small. After this much input it is large enough to be fast, so its growth is stopped.
 */
function countRead(bytes: number): void {
  if (bytesSoFar < settledAt && bytesSoFar + bytes >= settledAt)
    void import('node:v8').then(({ setFlagsFromString }) => setFlagsFromString('--semi-space-growth-factor=1'));
  bytesSoFar += bytes;
}

async function* readStdin(): AsyncGenerator<Uint8Array> {
  for await (const chunk of process.stdin as AsyncIterable<Uint8Array>) {
    yield chunk;
    countRead(chunk.length);
  }
}

function unreadable(path: string, error: unknown): Failure {
  const code = isSystemError(error) ? error.code : undefined;
  const why =
    code === 'ENOENT'
      ? 'no such file'
      : code === 'EACCES'
        ? 'permission denied'
        : code === 'EISDIR'
          ? 'it is a directory'
          : String(error);
  return new Failure('input', `cannot read ${path}: ${why}`, { cause: error });
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException & { code: string } {
  return systemCode(error) !== undefined && 'syscall' in (error as Error);
}

/** Prints what went wrong on stderr and returns the exit code. Redacted, because what was typed may be a key pasted into the wrong place. */
export async function describeFailure(
  error: unknown,
  { env, warn: say }: Pick<Context, 'env' | 'warn'> = { env: process.env, warn },
): Promise<number> {
  const { message, exitCode } = explained(error);
  const { Redactor } = await import('../redact/redactor.ts');
  const { secretValues } = await import('../redact/secrets.ts');
  say(`${prefix}${new Redactor({ values: secretValues(env) }).text(message)}`);
  return exitCode;
}

function explained(error: unknown): { message: string; exitCode: number } {
  if (error instanceof Failure) return error;
  return {
    message: `unexpected: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
    exitCode: 70,
  };
}
