/** A line of an answer, or several of one paragraph, with what stands around it. */
export interface Block {
  text: string;
  start: number;
  kind: 'paragraph' | 'item' | 'row' | 'heading';
  /** The heading above it, and the line that opens its list. */
  heading: string;
  intro: string;
  /** Of a table: its cells and what stands above them. */
  cells?: readonly string[];
  columns?: readonly string[];
  isTicked?: boolean;
  isFirstOfTable?: boolean;
}

const fence = /^ {0,12}(?:>\s?)?(`{3,}|~{3,})/;
const item = /^(\s{0,40}(?:[-*+•–‣◦]|\d{1,3}[.)]|[a-z]\))\s+)(\[[ xX✓✔]\]\s+)?/;
const heading = /^ {0,3}#{1,6}\s+/;
const rule = /^ {0,3}(?:(?:-\s?){3,}|(?:\*\s?){3,}|(?:_\s?){3,}|={3,})\s*$/;
const separator = /^[\s|:-]+$/;

/** What of an answer may hold claims: code, quotations and comments are left out. */
export function* blocksOf(answer: string): Generator<Block> {
  let title = '';
  let intro = '';
  let open: string | undefined;
  let isComment = false;
  let columns: string[] | undefined;
  let rows = 0;
  let isAfterCode = false;
  let paragraph: { start: number; end: number } | undefined;
  let start = 0;
  const flush = function* (): Generator<Block> {
    if (paragraph === undefined) return;
    const text = answer.slice(paragraph.start, paragraph.end);
    yield { text, start: paragraph.start, kind: 'paragraph', heading: title, intro };
    paragraph = undefined;
  };
  while (start <= answer.length) {
    const found = answer.indexOf('\n', start);
    const end = found === -1 ? answer.length : found;
    const line = answer.slice(start, end);
    const next = end + 1;
    const mark = fence.exec(line)?.[1];
    if (open !== undefined) {
      if (mark !== undefined && mark.startsWith(open) && line.trim() === mark) {
        open = undefined;
        isAfterCode = true;
      }
      start = next;
      continue;
    }
    if (mark !== undefined) {
      yield* flush();
      open = mark;
      start = next;
      continue;
    }
    if (isComment || /^\s{0,8}<!--/.test(line)) {
      isComment = !line.includes('-->');
      start = next;
      continue;
    }
    const bare = line.trim();
    if (bare === '' || rule.test(line) || /^\s{0,12}>/.test(line) || /^<\/?\w[^>]{0,200}>$/.test(bare)) {
      yield* flush();
      if (bare !== '') isAfterCode = false;
      if (columns !== undefined && bare !== '') columns = undefined;
      if (bare === '') columns = undefined;
      start = next;
      continue;
    }
    // What is said about a sample: `(expected output)`.
    if (isAfterCode && /^\(.{0,200}\)\.?$/.test(bare)) {
      start = next;
      continue;
    }
    isAfterCode = false;
    if (bare.startsWith('|') && bare.length < 4000) {
      yield* flush();
      const cells = cellsOf(bare);
      if (columns === undefined) {
        columns = cells;
        rows = 0;
      } else if (!separator.test(bare)) {
        const from = start + line.indexOf('|');
        const inner = rowText(line.slice(line.indexOf('|')));
        rows += 1;
        yield { text: inner.text, start: from + inner.at, kind: 'row', heading: title, intro, cells, columns };
      }
      start = next;
      continue;
    }
    columns = undefined;
    const isHeading =
      heading.exec(line)?.[0] ??
      (/^ {0,3}(?:\*\*[^*]{1,120}\*\*|__[^_]{1,120}__):?\s*$/.test(line)
        ? line.slice(0, line.length - line.trimStart().length)
        : undefined);
    if (isHeading !== undefined) {
      yield* flush();
      const text = line.slice(isHeading.length).trimEnd();
      yield { text, start: start + isHeading.length, kind: 'heading', heading: title, intro: '' };
      title = text.replaceAll(/[*_#]/g, '').trim();
      intro = '';
      start = next;
      continue;
    }
    const bullet = item.exec(line);
    if (bullet !== null) {
      yield* flush();
      const [whole, , box] = bullet;
      if (box === undefined || !/\[ \]/.test(box)) {
        const text = line.slice(whole.length).trimEnd();
        yield {
          text,
          start: start + whole.length,
          kind: 'item',
          heading: title,
          intro,
          ...(box === undefined ? {} : { isTicked: true }),
        };
      }
      start = next;
      continue;
    }
    if (/^ {4,}\S/.test(line) && paragraph === undefined && intro === '') {
      // Indented code.
      start = next;
      continue;
    }
    if (paragraph === undefined) paragraph = { start: start + (line.length - line.trimStart().length), end };
    else paragraph.end = end;
    intro = /[:\uFF1A]\s*$/.test(line) ? bare : '';
    start = next;
  }
  yield* flush();
  void rows;
}

function cellsOf(line: string): string[] {
  const inner = line.replace(/^\|/, '').replace(/\|\s*$/, '');
  return inner.split('|').map((cell) => cell.trim().replace(/\\$/, '').trim());
}

/** The row without its outer bars. */
function rowText(line: string): { text: string; at: number } {
  const at = 1 + (line.slice(1).length - line.slice(1).trimStart().length);
  return { text: line.slice(at).trimEnd().replace(/\|$/, '').trimEnd(), at };
}
