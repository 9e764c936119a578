import { plain } from '../terminal/plain.ts';

// Whatever an agent wrote is put in a code span or a fence, where Markdown has no links, images, HTML, mentions or headings.

/** Foreign text in one of our own lines. */
export function codeSpan(text: string, limit = 300): string {
  const line = plain(text.slice(0, limit * 4))
    .replace(/\s+/g, ' ')
    .trim();
  const characters = Array.from(line);
  const short = characters.length > limit ? `${characters.slice(0, limit - 1).join('')}…` : line;
  if (short === '') return '(empty)';
  const ticks = '`'.repeat(longestRun(short) + 1);
  // Markdown renderers strip one space on each side.
  return `${ticks} ${short} ${ticks}`;
}

/** Foreign text as a block. */
export function fenced(text: string): string {
  const safe = plain(text.trimEnd());
  const ticks = '`'.repeat(Math.max(3, longestRun(safe) + 1));
  return `${ticks}text\n${safe}\n${ticks}\n`;
}

function longestRun(text: string): number {
  let longest = 0;
  for (const run of text.match(/`+/g) ?? []) longest = Math.max(longest, run.length);
  return longest;
}

/** A section that opens when clicked. */
export function folded(title: string, body: string): string {
  return `<details>\n<summary>${title}</summary>\n\n${body}\n</details>\n`;
}
