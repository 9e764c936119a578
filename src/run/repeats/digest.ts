import type { Json } from '../../json/json.ts';
import { unlessTooLarge } from '../../json/unless-too-large.ts';

/**
 * A fingerprint of values, one after the other: equal values give equal ones, whatever the order of their fields. 64 bits of two
 * multiplicative hashes, since only neighbours are compared and every call of a run passes here.
 */
export class Digest {
  #high = 0xdeadbeef;
  #low = 0x41c6ce57;

  text(text: string): this {
    let [high, low] = [this.#high, this.#low];
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      high = Math.imul(high ^ code, 2654435761);
      low = Math.imul(low ^ code, 1597334677);
    }
    [this.#high, this.#low] = [high, low];
    return this;
  }

  /** Each value is set off from the next by its kind and its length. */
  value(value: Json | undefined): this {
    if (Array.isArray(value)) {
      this.text(`[${value.length}`);
      for (const each of value) this.value(each);
      return this;
    }
    if (typeof value === 'string') return this.text(`"${value.length}`).text(value);
    if (typeof value !== 'object' || value === null) return this.text(`:${value}`);
    const names = Object.keys(value).toSorted();
    this.text(`{${names.length}`);
    for (const name of names) this.value(name).value(value[name]);
    return this;
  }

  get print(): string {
    return `${(this.#high >>> 0).toString(36)}.${(this.#low >>> 0).toString(36)}`;
  }
}

/** Undefined: nested too deeply to tell. */
export function digestOf(value: Json): string | undefined {
  return unlessTooLarge(() => new Digest().value(value).print);
}
