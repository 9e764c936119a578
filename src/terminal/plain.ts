/** The start of every line of our own, and of no line of the agent. */
export const prefix = 'runwire: ';

// Control characters move the cursor, set the title or ring the bell; bidirectional overrides and isolates reorder what is shown; U+2028, U+2029
// and NEL break lines; the rest is invisible and could hide one of them. Joiners (U+200C, U+200D) belong to scripts and emoji.
const unsafe =
  // eslint-disable-next-line no-control-regex -- control characters are what this looks for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;
// The invisible characters that remain may occur between the letters as well as before them.
const forged = new RegExp(`^${Array.from(prefix.trim(), (letter) => `[\\p{Cf}\\p{M}]*${letter}`).join('')}`, 'gmu');

const hidden = /[\p{Cf}\p{M}]/u;
const ownName = prefix.trim();
const harmless = /^[\n\t -~]*$/;

/** An agent's text, made safe for a terminal: control characters are spelt out, and no line looks like one of ours. */
export function plain(text: string): string {
  // Fast path: nearly all texts are harmless, and whole transcripts go through here.
  if (harmless.test(text) && !text.includes(ownName)) return text;
  const safe = text.replaceAll('\r\n', '\n').replace(unsafe, spelt).toWellFormed();
  return hidden.test(safe) || safe.includes(ownName) ? safe.replace(forged, '\\$&') : safe;
}

function spelt(char: string): string {
  const code = (char.codePointAt(0) ?? 0).toString(16);
  if (code.length <= 2) return `\\x${code.padStart(2, '0')}`;
  return code.length <= 4 ? `\\u${code.padStart(4, '0')}` : `\\u{${code}}`;
}

/** Data, made safe for a terminal: control characters are spelt out, in JSON in such a way that it stays the same JSON. */
export function spellOut(text: string): string {
  return harmless.test(text) ? text : text.replaceAll('\r\n', '\n').replace(unsafe, speltInUnits);
}

// As `paint` writes them.
// eslint-disable-next-line no-control-regex -- the colours are control sequences
const ownColours = /(\u001b\[(?:[0-2]|3[1-3])m)/;

/** The same for what we painted ourselves: our colours pass. */
export function spellOutUnpainted(text: string): string {
  return text
    .split(ownColours)
    .map((part, index) => (index % 2 === 1 ? part : spellOut(part)))
    .join('');
}

function speltInUnits(char: string): string {
  return Array.from(
    { length: char.length },
    (_, index) => `\\u${char.charCodeAt(index).toString(16).padStart(4, '0')}`,
  ).join('');
}

/** One of our own lines that quotes foreign text: only its beginning marks it as ours. */
export function ownLine(message: string): string {
  return `${prefix}${plain(message)}`;
}

const words = /^[!-~]+(?: [!-~]+)*$/;

/** An agent's text as `plain` shows it, on one line, cut to `limit` characters. */
export function oneLine(text: string, limit = 160): string {
  // Fast path: nearly all texts need no change.
  if (text.length <= limit && words.test(text) && !text.includes(ownName)) return text;
  // The result is short, so a text of several megabytes need not be searched to its end.
  const head = plain(text.slice(0, limit * 8))
    .replace(/\s+/g, ' ')
    .trim();
  if (head.length <= limit) return head;
  const characters = Array.from(head);
  return characters.length > limit ? `${characters.slice(0, limit - 1).join('')}…` : head;
}
