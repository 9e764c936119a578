/**
 * What stands for more than its own text, in any of the APIs. Within a text, a quote has a backslash before it, so that what people
 * write about such fields does not match.
 */
const more =
  /"(?:previous_response_id|conversation|file_id|file_url|file_data|image_url|input_image|input_file|input_audio|inlineData|inline_data|fileData|cachedContent|cached_content|image|document|container|item_reference|pmpt_[^"]{0,100})"/;
/** A plain letter or digit that is written by its number, as no program does: it may hide one of these names. */
const disguised = /[^\\]\\u00(?:3\d|[46][1-9a-f]|5[0-9af]|7[0-9a])/i;

/** Longer than any of these names, with its quotes: one that begins in what is known may be another than that. */
const longestName = 32;
/** The same with every letter by its number. */
const longestDisguise = 6 * longestName;
/** What a template puts around a message. */
const around = 16;
/** An agent and its sub-agents each have a conversation of their own. */
const mostKnown = 8;
const mostBytes = 32 * 1024 * 1024;

interface Known {
  body: Buffer;
  tokens: number;
}

/**
 * The most input tokens that a request can have. A token has at least one byte, so its size says it, very roughly. Most requests
 * repeat an earlier one and add to it: what is repeated has as many tokens as the provider counted then, and only the rest is taken by its size.
 */
export class InputBound {
  #known: Known[] = [];
  /** Tokens that a provider counted beyond what a request can hold: it adds words of its own. */
  #unseen = 0;

  /** Undefined: it has pictures or files, or names something that the provider keeps, and nothing says how much that is. */
  most(body: Buffer): number | undefined {
    const bounds = this.#known.flatMap(({ body: known, tokens }) => {
      const [from, to] = differenceOf(known, body);
      return hasMore(body, from, to) ? [] : tokens + to - from + around;
    });
    if (!hasMore(body)) bounds.push(body.length + this.#unseen);
    return bounds.length === 0 ? undefined : Math.min(...bounds);
  }

  /** The provider has counted what it holds. */
  learn(body: Buffer, tokens: number): void {
    if (!hasMore(body)) this.#unseen = Math.max(this.#unseen, tokens - body.length);
    // What this one only adds to is not needed any more.
    const others = this.#known.filter(({ body: known }) => !addsTo(known, body));
    this.#known = [{ body, tokens }, ...others].slice(0, mostKnown);
    let size = 0;
    this.#known = this.#known.filter((known) => (size += known.body.length) <= mostBytes);
  }
}

/** Whether all of a known body is in this one, in one piece or around what is new. */
function addsTo(known: Buffer, body: Buffer): boolean {
  const [from, to] = differenceOf(body, known);
  return from === to;
}

/** Whether a part of a body, or what it has changed around it, stands for more than its text. */
function hasMore(body: Buffer, from = 0, to = body.length): boolean {
  const part = (margin: number): string => body.toString('latin1', Math.max(0, from - margin), to + margin);
  return more.test(part(longestName)) || disguised.test(part(longestDisguise));
}

/** Where a body differs from a known one: what stands before and after it is the same in both. */
function differenceOf(known: Buffer, body: Buffer): [from: number, to: number] {
  const shorter = Math.min(known.length, body.length);
  const from = longest(shorter, (start, end) => known.subarray(start, end).equals(body.subarray(start, end)));
  const ending = (whole: Buffer, start: number, end: number): Buffer =>
    whole.subarray(whole.length - end, whole.length - start);
  const after = longest(shorter - from, (start, end) => ending(known, start, end).equals(ending(body, start, end)));
  return [from, body.length - after];
}

/** The greatest length up to which all parts are the same; each part is compared about once. */
function longest(most: number, isSame: (start: number, end: number) => boolean): number {
  let [low, high] = [0, most];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (isSame(low, middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}
