import { BoundedList, cutText, textLimit } from '../../../outcome/bounded.ts';
import type { Loss } from '../../dialect.ts';
import type { JsonObject } from '../../../json/json.ts';
import { sizeOf } from '../../../json/size.ts';

/** Up to this many characters, arguments and results are kept whole; after that, long ones are cut. */
const wholeLimit = 4 * 1024 * 1024;

/** Up to this many characters, arguments whose long texts were cut are kept. */
const cutLimit = 4 * textLimit;

/**
 * The calls that wait for the last line, which lists them all in one object. As in an outcome, only the first and the last of
 * very many are kept, and only the head and the tail of very long texts, so that memory does not grow with the run.
 */
export class ToldCalls<Call extends { args: JsonObject; result: string }> {
  readonly #calls = new BoundedList<Call>();
  readonly #lose: (what: Loss) => void;
  #room = wholeLimit;

  constructor(lose: (what: Loss) => void) {
    this.#lose = lose;
  }

  push(call: Call): void {
    const size = call.result.length + sizeOf(call.args, this.#room);
    const fits = size <= this.#room;
    if (fits) this.#room -= size;
    this.#calls.push(
      fits ? call : { ...call, args: this.#shortArgs(call.args), result: this.#shortResult(call.result) },
    );
  }

  get length(): number {
    return this.#calls.length;
  }

  toArray(): Call[] {
    for (let left = this.#calls.omitted; left > 0; left -= 1) this.#lose('tool_call');
    return this.#calls.toArray();
  }

  #shortArgs(args: JsonObject): JsonObject {
    if (sizeOf(args, textLimit) <= textLimit) return args;
    this.#lose('tool_args');
    const cut = Object.fromEntries(
      Object.entries(args).map(([name, value]) => [name, typeof value === 'string' ? cutText(value) : value]),
    );
    return sizeOf(cut, cutLimit) <= cutLimit ? cut : { omitted: 'arguments that are too long to be listed here' };
  }

  #shortResult(result: string): string {
    if (result.length > textLimit) this.#lose('tool_output');
    return cutText(result);
  }
}
