/** What a part of a line of code is; everything else has no colour. */
type PartKind = 'comment' | 'string' | 'number' | 'word';
export interface Part {
  from: number;
  to: number;
  kind: PartKind;
}

interface Language {
  /** What begins a comment to the end of the line. */
  line: readonly string[];
  /** What begins and ends a comment of several lines. */
  block?: readonly [begin: string, end: string];
  quotes: string;
  words: ReadonlySet<string>;
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));
const none = words('');
const curly = words(
  'abstract as async await boolean break case catch char class const continue default defer delete do double else enum export extends extern false final finally float fn for from func function go goto if impl implements import in instanceof int interface internal let long loop match mod module mut namespace new nil none null object of operator override package private protected pub public readonly return self short sizeof static struct super switch template this throw throws trait true try type typeof undefined union unsafe unsigned use using val var virtual void when where while with yield',
);
const indented = words(
  'and as assert async await begin break case class continue def defined del do elif else elsif end ensure esac except export false fi finally for from function global if import in is lambda local module nil none nonlocal not null or pass raise rescue return self then true try unless until when while with yield False None True',
);
const queries = words(
  'add all alter and as asc between by case create cross default delete desc distinct drop else end exists foreign from full group having if in index inner insert into is join key left like limit not null on or order outer primary references right select set table then union unique update using values view when where with',
);

const c: Language = { line: ['//'], block: ['/*', '*/'], quotes: '"\'`', words: curly };
const hash: Language = { line: ['#'], quotes: '"\'', words: indented };
const sql: Language = { line: ['--'], block: ['/*', '*/'], quotes: '"\'', words: queries };
const style: Language = { line: [], block: ['/*', '*/'], quotes: '"\'', words: none };
const data: Language = { line: [], quotes: '"', words: words('false null true') };
const marked: Language = { line: [], block: ['<!--', '-->'], quotes: '"', words: none };
const settings: Language = { line: ['#', ';'], quotes: '"\'', words: words('false no null true yes') };

const languages = new Map<string, Language>(
  (
    [
      [
        c,
        'c cc cjs cpp cs cts cxx dart go groovy h hpp java javascript js jsonc jsx kt kts mjs mts php proto rs rust scala swift ts tsx typescript zig',
      ],
      [hash, 'bash dockerfile ex exs fish makefile mk nix pl pm ps1 py python r rb ruby sh shell zsh'],
      [sql, 'lua sql'],
      [style, 'css less scss'],
      [data, 'json json5 jsonl'],
      [marked, 'htm html svelte svg vue xml'],
      [settings, 'cfg conf env ini properties toml yaml yml'],
    ] as const
  ).flatMap(([language, names]) => names.split(' ').map((name) => [name, language] as const)),
);

/** The language of a file, by its name, or of a block, by what is written behind its fence. */
export function languageOf(name: string): Language | undefined {
  const file = name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1).toLowerCase();
  return languages.get(file.slice(file.lastIndexOf('.') + 1));
}

const isLetter = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 95 || code === 36 || code > 127;
const isDigit = (code: number): boolean => code >= 48 && code <= 57;

/** Longer texts have no colours: a page has better things to do. */
const longest = 40_000;

/** The coloured parts of some code, in order, in one pass and without looking back. It is for reading, and may be mistaken. */
export function partsOf(text: string, { line, block, quotes, words: known }: Language): Part[] {
  if (text.length > longest) return [];
  const parts: Part[] = [];
  let at = 0;
  function add(to: number, kind: PartKind): void {
    parts.push({ from: at, to, kind });
    at = to;
  }
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (isLetter(code)) {
      let to = at + 1;
      while (to < text.length && (isLetter(text.charCodeAt(to)) || isDigit(text.charCodeAt(to)))) to += 1;
      // What stands behind a dot is a name.
      if (to - at < 13 && text[at - 1] !== '.' && known.has(text.slice(at, to))) add(to, 'word');
      else at = to;
    } else if (isDigit(code)) {
      let to = at + 1;
      while (to < text.length && (isDigit(text.charCodeAt(to)) || isLetter(text.charCodeAt(to)) || text[to] === '.'))
        to += 1;
      add(to, 'number');
    } else if (block !== undefined && text.startsWith(block[0], at)) {
      const end = text.indexOf(block[1], at + block[0].length);
      add(end < 0 ? text.length : end + block[1].length, 'comment');
    } else if (line.some((begin) => text.startsWith(begin, at) && startsComment(text, at, begin))) {
      const end = text.indexOf('\n', at);
      add(end < 0 ? text.length : end, 'comment');
    } else if (quotes.includes(text[at] ?? '')) add(endOfString(text, at), 'string');
    else at += 1;
  }
  return parts;
}

/** `#` also stands in addresses and in `$#`: only at the beginning of a word does it begin a comment. */
function startsComment(text: string, at: number, begin: string): boolean {
  const before = text[at - 1] ?? '\n';
  return begin === '//' || begin === '--' || before === '\n' || before === ' ' || before === '\t';
}

/** Behind the closing quote; only a backtick goes on in the next line. */
function endOfString(text: string, from: number): number {
  const quote = text[from];
  for (let at = from + 1; at < text.length; at += 1) {
    const letter = text[at];
    if (letter === '\\') at += 1;
    else if (letter === quote) return at + 1;
    else if (letter === '\n' && quote !== '`') return at;
  }
  return text.length;
}
