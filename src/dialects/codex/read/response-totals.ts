import type { Json, JsonObject } from '../../../json/json.ts';
import { count, filled, isObject, object, string } from '../../../json/read.ts';

const fields = [
  'input_tokens',
  'cached_input_tokens',
  'cache_write_input_tokens',
  'output_tokens',
  'reasoning_output_tokens',
] as const;

/** `token_usage_record`: the tokens of one model response, written at once, so that even a killed session has them. */
export class ResponseTotals {
  readonly #sum: JsonObject;
  #lastResponse: string | undefined;

  /** `state`: that of the same file, when less of it was read. */
  constructor({ sum, lastResponse }: JsonObject = {}) {
    this.#sum = { ...object(sum) };
    this.#lastResponse = string(lastResponse);
  }

  get state(): Json {
    return { sum: { ...this.#sum }, lastResponse: this.#lastResponse ?? null };
  }

  /** The totals of the thread so far; undefined: this record adds nothing to them. */
  add(record: JsonObject): JsonObject | undefined {
    const thread = record.thread_token_usage;
    if (isObject(thread) && fields.some((field) => count(thread[field]) !== undefined)) return thread;
    const response = filled(record.response_id);
    if (response !== undefined && response === this.#lastResponse) return undefined;
    this.#lastResponse = response;
    const usage = object(record.usage);
    for (const field of fields) {
      const more = count(usage[field]);
      if (more !== undefined) this.#sum[field] = (count(this.#sum[field]) ?? 0) + more;
    }
    return { ...this.#sum };
  }
}
