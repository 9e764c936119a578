import { Utf8 } from '../json/utf8.ts';
import type { TapeEnd } from './tape.ts';
import type { Packing } from './unpacked.ts';

const packings: readonly (readonly [Packing, readonly number[]])[] = [
  ['gz', [0x1f, 0x8b]],
  ['zst', [0x28, 0xb5, 0x2f, 0xfd]],
];

/** The text bytes of a stored stream, which may be compressed or in UTF-16. Anything else passes unchanged. */
export async function* plainBytes(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, TapeEnd> {
  const [head, all] = await peek(bytes);
  const packing = packingOf(head);
  if (packing === undefined) {
    yield* inUtf8(all);
    return { kind: 'whole' };
  }
  const { unpacked } = await import('./unpacked.ts');
  let end: TapeEnd = { kind: 'whole' };
  const ending = async function* (): AsyncGenerator<Uint8Array> {
    end = yield* unpacked(all, packing);
  };
  yield* inUtf8(ending());
  return end;
}

async function* inUtf8(all: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const utf8 = new Utf8();
  for await (const chunk of all) {
    const bytes = utf8.push(chunk);
    if (bytes.length > 0) yield bytes;
  }
  const rest = utf8.end();
  if (rest.length > 0) yield rest;
}

/** The first bytes, enough to detect the format, and then the whole stream. */
async function peek(bytes: AsyncIterable<Uint8Array>): Promise<[head: Uint8Array, all: AsyncIterable<Uint8Array>]> {
  const chunks = bytes[Symbol.asyncIterator]();
  let head: Uint8Array = new Uint8Array();
  while (mayBeMarked(head)) {
    const next = await chunks.next();
    if (next.done === true) break;
    // A copy, because the source may reuse its buffer.
    head = Buffer.concat([head, next.value]);
  }
  const all = async function* (): AsyncGenerator<Uint8Array> {
    try {
      if (head.length > 0) yield head;
      yield* { [Symbol.asyncIterator]: () => chunks };
    } finally {
      // A reader that wants no more than the first bytes does not leave an open file behind.
      await chunks.return?.();
    }
  };
  return [head, all()];
}

function mayBeMarked(head: Uint8Array): boolean {
  return packings.some(([, mark]) => head.length < mark.length && beginsLike(head, mark));
}

function packingOf(head: Uint8Array): Packing | undefined {
  return packings.find(([, mark]) => head.length >= mark.length && beginsLike(head, mark))?.[0];
}

function beginsLike(head: Uint8Array, mark: readonly number[]): boolean {
  return mark.every((byte, at) => at >= head.length || head[at] === byte);
}
