import type { TapeEnd } from './tape.ts';
import { zlib } from './zlib.ts';

/** Parts of this size: four times the default, since each of them costs about as much as its own bytes. */
const options = { chunkSize: 64 * 1024 };
const decompressors = { zst: () => zlib().createZstdDecompress(options), gz: () => zlib().createGunzip(options) };

export type Packing = keyof typeof decompressors;

/** Decompresses as far as the data can be read, a part at a time: a small file may expand enormously. */
export async function* unpacked(
  packed: AsyncIterable<Uint8Array>,
  packing: Packing,
): AsyncGenerator<Uint8Array, TapeEnd> {
  const decompress = decompressors[packing]();
  let failure: Error | undefined;
  let whole = false;
  let closed = false;
  let wake = Promise.withResolvers<void>();
  decompress.on('readable', () => wake.resolve());
  decompress.once('error', (error) => void (failure = error));
  decompress.once('end', () => void (whole = true));
  decompress.once('close', () => {
    closed = true;
    wake.resolve();
  });

  /** The decompressed parts that are ready, until `isDone`. */
  async function* take(isDone: () => boolean): AsyncGenerator<Uint8Array, void> {
    for (;;) {
      for (let bytes: unknown; (bytes = decompress.read()) !== null;) if (bytes instanceof Uint8Array) yield bytes;
      if (isDone() || closed) return;
      await wake.promise;
      wake = Promise.withResolvers();
    }
  }

  try {
    for await (const chunk of packed) {
      let taken = false;
      decompress.write(chunk, () => {
        taken = true;
        wake.resolve();
      });
      yield* take(() => taken);
      if (failure !== undefined) return { kind: 'broken', message: whyBroken(failure) };
    }
    decompress.end();
    yield* take(() => false);
    if (whole) return { kind: 'whole' };
    return failure === undefined || isCut(failure) ? { kind: 'cut' } : { kind: 'broken', message: whyBroken(failure) };
  } finally {
    decompress.destroy();
  }
}

function isCut(failure: Error): boolean {
  return 'code' in failure && failure.code === 'Z_BUF_ERROR';
}

function whyBroken(failure: Error): string {
  return `it cannot be decompressed: ${failure.message}`;
}
