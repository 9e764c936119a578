import { plain } from '../terminal/plain.ts';

// Whatever an agent wrote stands in a code span or a fence: there Markdown has no links, images, HTML, mentions or headings.

/** Foreign text in a line of ours. */
export function codeSpan(text: string, limit = 300): string {
  const line = plain(text.slice(0, limit * 4))
    .replace(/\s+/g, ' ')
    .trim();
  const characters = Array.from(line);
  const short = characters.length > limit ? `${characters.slice(0, limit - 1).join('')}…` : line;
  if (short === '') return '(empty)';
  const ticks = '`'.repeat(longestRun(short) + 1);
  // One blank on each side is taken off again by whoever shows it.
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

/** A part that opens when it is clicked on. */
export function folded(title: string, body: string): string {
  return `<details>\n<summary>${title}</summary>\n\n${body}\n</details>\n`;
}
