import type { TapeEnd } from './tape.ts';
import type { Packing } from './unpacked.ts';

const packings: readonly (readonly [Packing, readonly number[]])[] = [
  ['gz', [0x1f, 0x8b]],
  ['zst', [0x28, 0xb5, 0x2f, 0xfd]],
];
const encodings: readonly (readonly [string, readonly number[]])[] = [
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];
const longestMark = 4;

/** The text bytes of a stored stream, which may be compressed or in UTF-16. Anything else passes unchanged. */
export async function* plainBytes(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, TapeEnd> {
  const [head, all] = await peek(bytes);
  const packing = marked(packings, head);
  if (packing === undefined) {
    yield* inUtf8(head, all);
    return { kind: 'whole' };
  }
  const { unpacked } = await import('./unpacked.ts');
  let end: TapeEnd = { kind: 'whole' };
  const ending = async function* (): AsyncGenerator<Uint8Array> {
    end = yield* unpacked(all, packing);
  };
  yield* inUtf8(...(await peek(ending())));
  return end;
}

async function* inUtf8(head: Uint8Array, all: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const encoding = marked(encodings, head) ?? unmarkedEncoding(head);
  if (encoding === undefined) return yield* all;
  const [decoder, encoder] = [new TextDecoder(encoding), new TextEncoder()];
  for await (const chunk of all) yield encoder.encode(decoder.decode(chunk, { stream: true }));
  yield encoder.encode(decoder.decode());
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

/** UTF-16 without a mark: every other byte of what is written in ASCII is 0. */
function unmarkedEncoding(head: Uint8Array): string | undefined {
  const zeros = [...head.subarray(0, longestMark)].map((byte) => byte === 0).join();
  return zeros === 'false,true,false,true' ? 'utf-16le' : zeros === 'true,false,true,false' ? 'utf-16be' : undefined;
}

function mayBeMarked(head: Uint8Array): boolean {
  if (head.length < longestMark && (head.length < 2 || (head[0] === 0) !== (head[1] === 0))) return true;
  return (
    head.length < longestMark &&
    [...packings, ...encodings].some(([, mark]) => head.length < mark.length && beginsLike(head, mark))
  );
}

function marked<T>(kinds: readonly (readonly [T, readonly number[]])[], head: Uint8Array): T | undefined {
  return kinds.find(([, mark]) => head.length >= mark.length && beginsLike(head, mark))?.[0];
}

function beginsLike(head: Uint8Array, mark: readonly number[]): boolean {
  return mark.every((byte, at) => at >= head.length || head[at] === byte);
}
