import type { GrowingTape } from '../tape.ts';
import { type Chunks, endAfter, pack, type TapeId } from './chunk.ts';
import type { Target } from './delivery.ts';

/** A tape in chunks that arrives in pieces from another machine, and is continued by whichever process gets the next piece. */
export class GrownChunks implements GrowingTape {
  readonly #target: Target;
  #last: number;
  #bytes: number;

  private constructor(target: Target, last: number, bytes: number) {
    this.#target = target;
    this.#last = last;
    this.#bytes = bytes;
  }

  static async open(chunks: Chunks, tape: TapeId, target: Target): Promise<GrownChunks> {
    return new GrownChunks(target, await target.last(), (await chunks.size(tape)) ?? 0);
  }

  get lastSequence(): number {
    return this.#last;
  }

  get bytes(): number {
    return this.#bytes;
  }

  async append(lines: string, last: number): Promise<void> {
    if (lines !== '') {
      const chunk = await pack(Buffer.from(lines), this.#last + 1, last);
      await this.#target.put(chunk, new AbortController().signal);
      this.#bytes += chunk.bytes;
    }
    this.#last = last;
  }

  end(): Promise<void> {
    return this.#target.end(endAfter(this.#last));
  }
}
