/** Invisible control characters, and those that reverse the text after them: written out, so that a text is what it looks like. */
const hidden =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/g;

export function visible(text: string): string {
  return text.replace(hidden, named);
}

function named(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code === 0x0d) return '';
  return code < 0x20 ? String.fromCodePoint(0x2400 + code) : `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`;
}

/** The text in one line, cut to a length. */
export function oneLine(text: string, length = 300): string {
  const head = text.length > length * 4 ? text.slice(0, length * 4) : text;
  const line = visible(head.replace(/\s+/g, ' ').trim());
  return line.length > length ? `${line.slice(0, length)}…` : line;
}

/** The links that agent text may have: web addresses, nothing that runs code. */
export function safeLink(href: string): string | undefined {
  if (!/^https?:\/\//i.test(href)) return undefined;
  const url = URL.parse(href);
  return url !== null && (url.protocol === 'https:' || url.protocol === 'http:') ? url.href : undefined;
}
