const tags = /<\/?(?:a|b|br|code|div|em|font|i|li|p|pre|span|strong|td)\b[^<>]*>/gi;
const entities = /&(?:quot|apos|lt|gt|amp|nbsp|#\d{1,7}|#x[\da-f]{1,6});/gi;
const named: Readonly<Record<string, string>> = { quot: '"', apos: "'", lt: '<', gt: '>', amp: '&', nbsp: ' ' };
/** Quotes that are escaped occur in no other log. */
const escapedObject = /\{(?:&quot;|&#34;|&#x22;)/i;

/** The lines of a page with a log in `<pre>`. */
export class Html {
  #isInside = false;

  /** What this line of the page shows; undefined: it is not escaped. */
  textOf(line: string): string | undefined {
    const wasInside = this.#isInside;
    if (line.includes('<')) this.#follow(line);
    if (!wasInside && !this.#isInside && !escapedObject.test(line)) return undefined;
    const bare = line.replace(/<br\s*\/?>/gi, '\n').replace(tags, '');
    // A log that was put there as it is may hold anything.
    if (bare.includes('<') && !escapedObject.test(line)) return undefined;
    const text = bare.replace(entities, characterOf);
    return text === line ? undefined : text;
  }

  /** Lines may be escaped although their quotes are not. */
  get isInside(): boolean {
    return this.#isInside;
  }

  #follow(line: string): void {
    const opened = /^\s*</.test(line) ? line.search(/<pre[\s>]/i) : -1;
    const closed = line.lastIndexOf('</pre>');
    if (opened !== -1 || closed !== -1) this.#isInside = opened > closed;
  }
}

function characterOf(entity: string): string {
  const name = entity.slice(1, -1).toLowerCase();
  if (!name.startsWith('#')) return named[name] ?? entity;
  const code = name.startsWith('#x') ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
  return code <= 0x10ffff ? String.fromCodePoint(code) : entity;
}
