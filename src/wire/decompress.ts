import type { Transform } from 'node:stream';
import zlib from 'node:zlib';

const inPieces = { chunkSize: 64 * 1024 };

/** How bodies are compressed, and what reads them; what is not listed cannot be read. */
const ways: Readonly<Record<string, () => Transform>> = {
  gzip: () => zlib.createGunzip(inPieces),
  'x-gzip': () => zlib.createGunzip(inPieces),
  deflate: () => zlib.createInflate(inPieces),
  br: () => zlib.createBrotliDecompress(inPieces),
  zstd: () => zlib.createZstdDecompress(inPieces),
};

class Unreadable extends Error {}

/** Undefined: the bytes are not compressed. Throws `Unreadable` where nobody knows how to read them. */
export function decompressor(encoding: string | undefined): Transform | undefined {
  const name = encoding?.trim().toLowerCase() ?? '';
  if (name === '' || name === 'identity') return undefined;
  const way = Object.hasOwn(ways, name) ? ways[name] : undefined;
  if (way === undefined) throw new Unreadable(`a body in ${name}`);
  return way();
}

/** The bytes of a whole body, at most `most`: a few compressed bytes may become any number. */
export async function decompressed(body: Buffer, encoding: string | undefined, most: number): Promise<Buffer> {
  const through = decompressor(encoding);
  if (through === undefined) return body;
  const parts: Buffer[] = [];
  let size = 0;
  through.end(body);
  try {
    for await (const part of through as AsyncIterable<Buffer>) {
      size += part.length;
      if (size > most) throw new Unreadable(`more than ${most} bytes`);
      parts.push(part);
    }
  } catch (error) {
    throw error instanceof Unreadable ? error : new Unreadable(String(error));
  } finally {
    through.destroy();
  }
  return Buffer.concat(parts);
}
