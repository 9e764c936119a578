const marks: readonly (readonly [encoding: string, first: number, second: number])[] = [
  ['utf-16le', 0xff, 0xfe],
  ['utf-16be', 0xfe, 0xff],
];
/** Without a mark, two characters are needed to tell. */
const enough = 4;

/** Bytes of a text in, the same text in UTF-8 out: shells and programs of Windows write UTF-16, with or without a mark. */
export class Utf8 {
  readonly #encoder = new TextEncoder();
  #decoder: TextDecoder | undefined;
  /** The first bytes, while they are too few to tell. */
  #head: Uint8Array | undefined = new Uint8Array();

  push(chunk: Uint8Array): Uint8Array {
    if (this.#head === undefined) return this.#decoded(chunk);
    const head = joined(this.#head, chunk);
    if (isTooShort(head)) {
      this.#head = head;
      return new Uint8Array();
    }
    return this.#begin(head);
  }

  /** What was held back. */
  end(): Uint8Array {
    const rest = this.#head === undefined ? new Uint8Array() : this.#begin(this.#head);
    return this.#decoder === undefined ? rest : joined(rest, this.#encoder.encode(this.#decoder.decode()));
  }

  #begin(head: Uint8Array): Uint8Array {
    this.#head = undefined;
    const encoding = encodingOf(head);
    if (encoding !== undefined) this.#decoder = new TextDecoder(encoding);
    return this.#decoded(head);
  }

  #decoded(bytes: Uint8Array): Uint8Array {
    return this.#decoder === undefined ? bytes : this.#encoder.encode(this.#decoder.decode(bytes, { stream: true }));
  }
}

function encodingOf(head: Uint8Array): string | undefined {
  const marked = marks.find(([, first, second]) => head[0] === first && head[1] === second);
  if (marked !== undefined || head.length < enough) return marked?.[0];
  // Every other byte of what is written in ASCII is 0.
  const zeros = [...head.subarray(0, enough)].map((byte) => byte === 0).join();
  return zeros === 'false,true,false,true' ? 'utf-16le' : zeros === 'true,false,true,false' ? 'utf-16be' : undefined;
}

function isTooShort(head: Uint8Array): boolean {
  return head.length < 2 || (head.length < enough && (head[0] === 0) !== (head[1] === 0));
}

/** A copy if bytes are held back, since callers may use their buffer again. */
function joined(head: Uint8Array, chunk: Uint8Array): Uint8Array {
  if (head.length === 0 && !isTooShort(chunk)) return chunk;
  const all = new Uint8Array(head.length + chunk.length);
  all.set(head);
  all.set(chunk, head.length);
  return all;
}
