import { open, readFile as readWhole, rm, stat } from 'node:fs/promises';
import { Failure, messageOf } from '../failure.ts';
import { PackedWriter, PlainWriter } from './file-tape-writers.ts';
import { type Tape, type TapeEnd, type TapeOptions, type TapeWriter, wholeLines } from './tape.ts';
import { placeAbove } from './place-above.ts';
import { plainBytes } from './plain-bytes.ts';
import { removeTails, tailsOf, withTails } from './tape-tail.ts';
import { unpacked } from './unpacked.ts';

const chunkBytes = 64 * 1024;

type ReadFile = (path: string, after?: number) => AsyncIterable<Uint8Array>;

/** A tape in a file, compressed if its name says so. `readFile` may replace how the bytes of a plain one are read. */
export function fileTape(path: string, readFile: ReadFile = readToEnd): Tape {
  const isPacked = path.endsWith('.zst');
  const unpack = (bytes: AsyncIterable<Uint8Array>) => withTails(unpacked(bytes, 'zst'), path);
  return {
    name: path,
    write: (options: TapeOptions): TapeWriter =>
      isPacked ? new PackedWriter(path, options) : new PlainWriter(path, options),
    read: (after) => wholeLines(isPacked ? unpack(readToEnd(path)) : plainBytes(readFile(path, after)), after),
    follow: (more, after) =>
      wholeLines(isPacked ? unpack(growing(path, more)) : plain(growing(path, more, after)), after),
    async size() {
      const found = await stat(path).catch(() => undefined);
      return found?.isFile() === true ? found.size : undefined;
    },
    async digest() {
      const hash = process.getBuiltinModule('node:crypto').createHash('sha256');
      for await (const bytes of readToEnd(path)) hash.update(bytes);
      for (const tail of tailsOf(path)) hash.update(await readWhole(tail).catch(() => ''));
      return hash.digest('hex');
    },
    async remove() {
      await rm(path, { force: true });
      await removeTails(path);
    },
  };
}

/** In a plain file the end cannot be told from a cut between two lines. */
async function* plain(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, TapeEnd> {
  yield* bytes;
  return { kind: 'whole' };
}

function readToEnd(path: string, after?: number): AsyncGenerator<Uint8Array> {
  return growing(path, async () => false, after);
}

/** The bytes of a file, from its beginning, or from where lines above `after` may begin. */
async function* growing(path: string, more: () => Promise<boolean>, after = 0): AsyncGenerator<Uint8Array> {
  const file = await open(path).catch((error: unknown) => {
    throw new Failure('input', `cannot read ${path}: ${messageOf(error)}`, { cause: error });
  });
  try {
    const chunk = new Uint8Array(chunkBytes);
    const readAt = async (at: number | null, length: number): Promise<Uint8Array> =>
      chunk.subarray(0, (await file.read(chunk, 0, length, at)).bytesRead);
    // What is read from its beginning may be a pipe, which has no places.
    let place = after === 0 ? null : await placeAbove(after, (await file.stat()).size, readAt);
    let isOver = false;
    for (;;) {
      const bytes = await readAt(place, chunkBytes);
      if (place !== null) place += bytes.length;
      if (bytes.length > 0) yield bytes;
      else if (isOver) return;
      // Lines that arrived between the last read and the answer that nothing more comes are still read.
      else isOver = !(await more());
    }
  } finally {
    await file.close();
  }
}
