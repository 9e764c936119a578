import type { Piece } from '../events/record-json.ts';
import { Failure, systemCode } from '../failure.ts';
import { spellOut, spellOutUnpainted } from '../terminal/plain.ts';
import { bytesOf } from '../tapes/encode-pieces.ts';

/** The reader of stdout closed it. */
export class PipeClosed extends Error {}

/** Why nothing more can be written. */
let broken: Error | undefined;
let listening = false;
let waiting: ((error?: Error) => void) | undefined;
let plainFile: boolean | undefined;

/** Data, whose control characters are escaped on a terminal. */
export function print(text: string | readonly Piece[]): Promise<void> {
  return write(process.stdout.isTTY ? spellOut(typeof text === 'string' ? text : text.join('')) : text);
}

/** Text for people, perhaps in colour. */
export function show(text: string): Promise<void> {
  return write(process.stdout.isTTY ? spellOutUnpainted(text) : text);
}

/**
 * The one door to stdout. Resolves at once while it has room, else when it has room again, so that memory does not grow behind a slow
 * reader. Throws `PipeClosed` when nobody wants it any more, and a `Failure` of the class `output` when it cannot be written.
 */
async function write(text: string | readonly Piece[]): Promise<void> {
  if (broken !== undefined) throw broken;
  if (text.length === 0) return;
  const content = typeof text === 'string' ? text : bytesOf(text);
  if (isPlainFile()) writeWhole(content);
  else await stream(content);
}

/** The same before the process may do anything else, such as wait. */
export function writeOutNow(text: string): void {
  if (broken !== undefined) throw broken;
  writeWhole(text);
}

/** Calls when everything written so far has left this process, or never will. */
export function afterOutput(then: () => void): void {
  if (isPlainFile()) return then();
  listen();
  process.stdout.write('', then);
}

/**
 * The stream that Node.js has for a file reports an error only after `write` has answered that all is well, and does not report at all
 * that a disk took only a part.
 */
function isPlainFile(): boolean {
  if (plainFile !== undefined) return plainFile;
  const stdout = process.getBuiltinModule('node:fs').fstatSync(1);
  plainFile = stdout.isFile() || (stdout.isCharacterDevice() && !process.getBuiltinModule('node:tty').isatty(1));
  return plainFile;
}

function writeWhole(content: string | Uint8Array): void {
  const { writeSync } = process.getBuiltinModule('node:fs');
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  let written = 0;
  try {
    while (written < bytes.length) written += writeSync(1, bytes, written);
  } catch (error) {
    // A pipe that is full takes it later.
    if (systemCode(error) === 'EAGAIN') void stream(bytes.subarray(written)).catch(() => {});
    else throw (broken = explained(error));
  }
}

function listen(): void {
  if (listening) return;
  listening = true;
  process.stdout.on('error', (error: Error) => {
    broken = explained(error);
    waiting?.(broken);
  });
  process.stdout.on('drain', () => waiting?.());
}

function stream(content: string | Uint8Array): Promise<void> {
  listen();
  return new Promise((resolve, reject) => {
    if (process.stdout.write(content)) return resolve();
    waiting = (error) => (error === undefined ? resolve() : reject(error));
  });
}

const reasons: Readonly<Record<string, string>> = {
  ENOSPC: 'no space left on device',
  EDQUOT: 'disk quota exceeded',
  EFBIG: 'file too large',
  EIO: 'input/output error',
  EBADF: 'it is not open for writing',
};

function explained(error: unknown): Error {
  const code = systemCode(error);
  if (code === 'EPIPE') return new PipeClosed('stdout was closed', { cause: error });
  const why = code === undefined ? String(error) : `${reasons[code] ?? 'the system refused it'} (${code})`;
  return new Failure('output', `stdout could not be written: ${why}`, { cause: error });
}
