/** PEM lines are 64 to 76 characters of base64; a path or a long word has fewer in a row. */
const longRun = 24;
/** More than the header lines of an encrypted key, or of a PGP key, between its first line and its first bytes. */
const widestGap = 200;
const endLine = 64;

function isBase64(code: number): boolean {
  return (
    (code >= 97 && code <= 122) ||
    (code >= 65 && code <= 90) ||
    (code >= 47 && code <= 57) || // `/` and the digits
    code === 43 ||
    code === 61
  );
}

/**
 * How far the body of a private key reaches from `at`, which follows its first line or a part of the body.
 * It is known by its long runs of base64, whatever stands between them: line ends, escaped or not, diff signs, line numbers.
 */
export function privateKeyBody(text: string, at: number): { to: number; done: boolean } {
  let to = at;
  let run = 0;
  while (run < longRun && run < at && isBase64(text.charCodeAt(at - run - 1))) run += 1;
  let gap = 0;
  for (let i = at; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    run = isBase64(code) ? run + 1 : 0;
    if (run >= longRun) {
      to = i + 1;
      gap = 0;
      continue;
    }
    if (code === 45 && text.startsWith('-----END', i)) {
      const dashes = text.slice(i + 8, i + endLine).indexOf('-----');
      if (dashes >= 0) return { to: i + 8 + dashes + 5, done: true };
      if (text.length < i + endLine) return { to, done: false };
    }
    gap += 1;
    if (gap > widestGap) return { to, done: true };
  }
  return { to, done: false };
}

/** A line of folded base64 has at least so many characters, unless it is the last one. */
const widestIndent = 32;

/** How far base64 reaches that may be folded: over a line end, escaped or not, and what the next line is indented by. */
export function foldedBase64(text: string, at: number): { to: number; done: boolean } {
  let to = at;
  for (;;) {
    while (to < text.length && isBase64(text.charCodeAt(to))) to += 1;
    const next = nextLine(text, to);
    if (next === undefined) return { to, done: false };
    let run = 0;
    while (run < longRun && isBase64(text.charCodeAt(next + run))) run += 1;
    if (run < longRun) return { to, done: next + run < text.length || next === to };
    to = next;
  }
}

/** Where the line after the one that ends at `at` begins; `at` itself where no line ends; undefined: not yet known. */
function nextLine(text: string, at: number): number | undefined {
  let to = at;
  while (to < text.length && to - at < widestIndent) {
    const code = text.charCodeAt(to);
    if (code === 10 || code === 13 || code === 32 || code === 9) to += 1;
    else if (code === 92 && to + 1 === text.length) return undefined;
    else if (code === 92 && (text[to + 1] === 'n' || text[to + 1] === 'r')) to += 2;
    else break;
  }
  if (to >= text.length) return undefined;
  return /[\n\r\\]/.test(text.slice(at, to)) ? to : at;
}

const firstLine = /-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?(?=-----)/g;
const bodyAlone = /^[A-Za-z0-9+/=]*$/;
const bodyPart = /[A-Za-z0-9+/=]{24}|^(?:Proc-Type|DEK-Info|Version|Comment): |-----END /;

/** Whether the last key that begins in a line does not end in it. */
function staysOpen(line: string): boolean {
  const begin = Array.from(line.matchAll(firstLine)).at(-1);
  return begin !== undefined && !line.includes('-----END', begin.index + begin[0].length + '-----'.length);
}

/** Follows a private key that is printed line by line, each line a text of its own. */
export class PrivateKeyLines {
  #open = false;

  /** Whether this line belongs to the body of a key that began in an earlier one. */
  isBody(line: string): boolean {
    const body = this.#open && (bodyAlone.test(line.trim()) || bodyPart.test(line.trimStart()));
    this.#open = (body && !line.includes('-----END')) || (line.includes('-----BEGIN') && staysOpen(line));
    return body;
  }
}
