const DIGITS = /\d/;

/** What a log may put before the first line of a document, and nothing else: a time, a level, the name of a container. */
const beginning = /^(.{0,300}[\s|:\]>]|)(\{|\[\s{0,20}\{?)\s{0,20}$/;
/** A logger marks only the first line of what it is given, and so does whoever puts a word before a document. */
const loggers = /^\[|^\d{4}[-/]\d\d|^\d\d:\d\d|\b(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR)\b/i;

const member = /^\s+"[^"\\]+"\s*:/;

export interface Beginning {
  prefix: string;
  /** The rest: an open bracket. */
  json: string;
}

/** A line that begins a document behind a prefix, which is empty if it was for terminals alone; undefined: it does not. */
export function beginningIn(line: string): Beginning | undefined {
  const [, prefix, json] = beginning.exec(line) ?? [];
  return prefix === undefined || json === undefined ? undefined : { prefix, json };
}

/** The length of the prefix at the beginning of a further line, which differs in its digits, and the spaces before them, alone; 0: it has none. */
export function prefixLength(prefix: string, line: string): number {
  let at = indentOf(line);
  for (let index = indentOf(prefix); index < prefix.length; at += 1) {
    const wanted = prefix.charAt(index);
    const char = line.charAt(at);
    index += 1;
    if (!DIGITS.test(wanted)) {
      if (wanted !== char) return 0;
      continue;
    }
    if (!DIGITS.test(char)) return 0;
    while (index < prefix.length && DIGITS.test(prefix.charAt(index))) index += 1;
    while (DIGITS.test(line.charAt(at + 1))) at += 1;
  }
  return at;
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

/** Whether this is what follows the first line, or those first lines, of an indented document. */
export function goesOn({ prefix, json, lines }: Beginning & { lines: readonly string[] }, line: string): boolean {
  const length = prefixLength(prefix, line);
  if (length > 0 || prefix === '') return isPieceOfJson(line.slice(length));
  if (!/^\s|^[}\]]/.test(line) || !isPieceOfJson(line)) return false;
  // Behind any words there may be a block of code: only members are JSON for sure.
  return lines.length > 1 || loggers.test(prefix) || (json.startsWith('{') && member.test(line));
}

/** A line of indented JSON: a member, an element or a bracket. */
function isPieceOfJson(line: string): boolean {
  const text = line.trim();
  return text === '' || /^["{}[\]\d-]|^(?:true|false|null)\b/.test(text);
}
