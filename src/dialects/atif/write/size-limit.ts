import { cutText, textLimit } from '../../../outcome/bounded.ts';
import type { EncoderSink, Loss } from '../../dialect.ts';
import type { Json, JsonObject } from '../../../json/json.ts';
import { sizeOf } from '../../../json/size.ts';
import { asText, isObject } from '../../../json/read.ts';

/** Up to this many characters everything is kept whole; after that, long texts are cut. */
const wholeLimit = 64 * 1024 * 1024;
/** Steps that begin after this many characters are left out. */
const mostKept = 2 * wholeLimit;
/** The approximate size of a step or a call without its contents. */
const frame = 200;

/** How much more one document may hold: it must fit into one string, whose length is limited. */
export class SizeLimit {
  readonly #lose: EncoderSink['lose'];
  #kept = 0;

  constructor(lose: EncoderSink['lose']) {
    this.#lose = lose;
  }

  get isFull(): boolean {
    return this.#kept > mostKept;
  }

  /** Counts a new step or call. */
  frame(): void {
    this.#kept += frame;
  }

  text(text: string, loss: Loss): string {
    const isCut = this.#kept + text.length > wholeLimit && text.length > textLimit;
    if (isCut) this.#lose(loss);
    const kept = isCut ? cutText(text) : text;
    this.#kept += kept.length;
    return kept;
  }

  /** Any JSON as text; empty if it is nested absurdly deep. */
  json(value: Json, loss: Loss): string {
    if (typeof value === 'string' || this.#isShallow(value)) return this.text(asText(value), loss);
    this.#lose(loss);
    return '';
  }

  /** Arguments are always an object, whatever form the agent's own have. */
  args(args: Json): { arguments: JsonObject; raw?: Json } {
    const size = sizeOf(args, wholeLimit);
    if (size > textLimit && this.#kept + size > wholeLimit) {
      this.#lose('tool_args');
      return { arguments: {} };
    }
    this.#kept += size;
    return isObject(args) ? { arguments: args } : { arguments: { _raw: asText(args) }, raw: args };
  }

  #isShallow(value: Json): boolean {
    return sizeOf(value, Number.MAX_SAFE_INTEGER) < Number.MAX_SAFE_INTEGER;
  }
}
