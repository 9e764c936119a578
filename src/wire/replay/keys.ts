import { createHash } from 'node:crypto';
import type { Json } from '../../json/json.ts';
import { isObject } from '../../json/read.ts';
import { type Folders, normalise } from './normalise.ts';
import type { ReplayRules } from './rules.ts';

/**
 * Names requests by what they say. A conversation is sent again with every request: elements that a recording has once are
 * looked at once, so that a long one costs its length and not its square.
 */
export class RequestKeys {
  readonly #rules: ReplayRules;
  readonly #folders: Folders;
  readonly #known = new WeakMap<object, string>();

  constructor(rules: ReplayRules, folders: Folders) {
    this.#rules = rules;
    this.#folders = folders;
  }

  of(target: string, body: Json): string {
    const hash = createHash('sha256').update(target);
    if (isObject(body) && !this.#isSorted(body))
      for (const [name, value] of Object.entries(body).toSorted(([one], [other]) => (one < other ? -1 : 1)))
        this.#field(name, value, (text) => hash.update(text));
    else hash.update(`\n${JSON.stringify(normalise(body, this.#rules, this.#folders))}`);
    return hash.digest('base64');
  }

  #field(name: string, value: Json, add: (text: string) => void): void {
    if (Array.isArray(value)) {
      const elements = value.map((each) => this.#element(name, each));
      return add(`\n${JSON.stringify(name)}[${elements.join(',')}]`);
    }
    // Only through its object is it known whether a field is dropped.
    const [kept] = Object.values(normalise({ [name]: value }, this.#rules, this.#folders) as Record<string, Json>);
    if (kept !== undefined) add(`\n${JSON.stringify(name)}:${JSON.stringify(kept)}`);
  }

  #element(name: string, value: Json): string {
    const path = [name, '*'];
    const textOf = (): string => JSON.stringify(normalise(value, this.#rules, this.#folders, path));
    if (typeof value !== 'object' || value === null) return textOf();
    const known = this.#known.get(value);
    if (known !== undefined) return known;
    const made = createHash('sha256').update(textOf()).digest('base64');
    this.#known.set(value, made);
    return made;
  }

  /** A rule about a list at the top concerns the list as a whole. */
  #isSorted(body: Record<string, Json>): boolean {
    const { sort = [], drop = [] } = this.#rules;
    return [...sort, ...drop].some((path) => Array.isArray(body[path]));
  }
}
