import type { Context } from '../context.ts';

/** The user's input, line by line; empty lines are skipped. */
export class Lines {
  readonly #context: Context;
  readonly #lines: AsyncGenerator<string, void>;

  constructor(context: Context) {
    this.#context = context;
    this.#lines = linesOf(context.stdin);
  }

  async next(): Promise<string | undefined> {
    const isAsked = this.#context.stdinIsTerminal && this.#context.stderrIsTerminal;
    for (;;) {
      if (isAsked) this.#context.draw('> ');
      const { value, done } = await this.#lines.next();
      if (done === true) {
        // Ctrl-D leaves the cursor behind the prompt.
        if (isAsked) this.#context.draw('\n');
        return undefined;
      }
      if (typeof value === 'string' && value.trim() !== '') return value;
    }
  }
}

async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of chunks) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = parts.pop() ?? '';
    yield* parts.map((line) => line.replace(/\r$/, ''));
  }
  rest += decoder.decode();
  if (rest !== '') yield rest;
}
