import { cutText, textLimit } from '../../../outcome/bounded.ts';
import type { EncoderSink, Json, JsonObject, Loss } from '../../dialect.ts';
import { sizeOf } from '../../json-size.ts';
import { asText, isObject } from '../../read.ts';

/** Characters that are kept whole; what comes after is cut if it is long. */
const wholeLimit = 64 * 1024 * 1024;
/** Steps that begin after so many are left out. */
const mostKept = 2 * wholeLimit;
/** About what a step or a call takes without its contents. */
const frame = 200;

/** How much one document may still hold: the whole of it must be one text, which has an end. */
export class Room {
  readonly #lose: EncoderSink['lose'];
  #kept = 0;

  constructor(lose: EncoderSink['lose']) {
    this.#lose = lose;
  }

  get isFull(): boolean {
    return this.#kept > mostKept;
  }

  /** Something was begun. */
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

  /** Any JSON as text. What nests absurdly deep has none. */
  json(value: Json, loss: Loss): string {
    if (typeof value === 'string' || this.#isShallow(value)) return this.text(asText(value), loss);
    this.#lose(loss);
    return '';
  }

  /** Arguments are an object, whatever the agent's own are. */
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
