import { number, object, string } from '../json/read.ts';
import type { JsonObject } from '../json/json.ts';
import type { Enveloped } from './envelope.ts';

/** A recording of a terminal by asciinema: a header, and a line for each piece that was shown, `[time, "o", piece]`. */
export class Cast {
  /** When it began, in ms. */
  readonly #begin: number | undefined;
  /** Times count from the event before, not from the beginning. */
  readonly #isRelative: boolean;
  #passed = 0;

  /** Without a header, when its beginning is missing: then no times are known. */
  constructor(header?: JsonObject) {
    const begin = number(header?.['timestamp']);
    this.#begin = begin === undefined ? undefined : begin * 1000;
    this.#isRelative = header?.['version'] === 3;
  }

  /** What the terminal showed; null: an event of another kind; undefined: no event at all. */
  take(event: readonly unknown[]): Enveloped | null | undefined {
    const [time, kind, data] = event;
    if (event.length !== 3 || typeof time !== 'number' || typeof kind !== 'string' || typeof data !== 'string')
      return undefined;
    if (!kinds.has(kind)) return undefined;
    this.#passed = this.#isRelative ? this.#passed + time : time;
    return kind === 'o' ? this.#shown(data) : null;
  }

  #shown(text: string): Enveloped {
    const at = this.#begin === undefined ? undefined : this.#begin + this.#passed * 1000;
    return { text, isPartial: true, stream: 'stdout', at };
  }
}

/** Output, input, a mark, a new size, and the exit status. */
const kinds: ReadonlySet<string> = new Set(['o', 'i', 'm', 'r', 'x']);

export function isCastHeader(wire: JsonObject): boolean {
  const { version, width, height, term } = wire;
  const isSized = typeof width === 'number' && typeof height === 'number';
  return !('type' in wire) && ((version === 2 && isSized) || (version === 3 && 'cols' in object(term)));
}

/** The first version of the format: one document. */
export function oldCast({ version, width, stdout }: JsonObject): Enveloped[] | undefined {
  if (version !== 1 || typeof width !== 'number' || !Array.isArray(stdout)) return undefined;
  return stdout.map((piece) => ({
    text: Array.isArray(piece) ? (string(piece[1]) ?? '') : '',
    isPartial: true,
    stream: 'stdout',
    at: undefined,
  }));
}
