import type { Piece } from '../events/record-json.ts';

const LF = 10;

/** The most bytes that a piece takes. */
export function mostBytes(piece: Piece): number {
  return piece.length * 3;
}

/** Writes a piece into a buffer that has room for it, and returns where it ends. */
export function encodePiece(piece: Piece, bytes: Buffer, at: number): number {
  if (piece === '\n') {
    bytes[at] = LF;
    return at + 1;
  }
  if (typeof piece === 'string') return at + bytes.write(piece, at);
  const { beginning, end } = piece;
  const brace = at + bytes.write(beginning, at) - 1;
  bytes.set(end.bytes, brace);
  return brace + end.bytes.length;
}

/** Encodes each piece by itself: joined, the text would be copied first, and one character beyond Latin-1 would slow down all of it. */
export function bytesOf(pieces: readonly Piece[]): Uint8Array {
  const bytes = Buffer.allocUnsafe(pieces.reduce((sum, piece) => sum + mostBytes(piece), 0));
  let at = 0;
  for (const piece of pieces) at = encodePiece(piece, bytes, at);
  return bytes.subarray(0, at);
}
