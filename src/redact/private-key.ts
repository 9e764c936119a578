/** PEM lines are 64 to 76 characters of base64; a path or a long word has fewer in a row. */
const longRun = 24;
/** Longer than the header lines between the first line and the first bytes of an encrypted key or a PGP key. */
const widestGap = 200;
const endLine = 64;

export function isBase64(code: number): boolean {
  return (
    (code >= 97 && code <= 122) ||
    (code >= 65 && code <= 90) ||
    (code >= 47 && code <= 57) || // `/` and the digits
    code === 43 ||
    code === 61
  );
}

/**
 * How far the body of a private key extends from `at`, which follows its first line or a part of the body.
 * It is recognised by its long runs of base64, whatever separates them: line breaks, escaped or not, diff markers, line numbers.
 */
export function privateKeyBody(text: string, at: number, final: boolean): { to: number; done: boolean } {
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
      if (text.length < i + endLine) break;
    }
    gap += 1;
    if (gap > widestGap) return { to: pastShortLine(text, to), done: true };
  }
  return { to: final ? pastShortLine(text, to) : to, done: false };
}

/** The last line of a body is mostly a short one: it stands alone, right below the others. A word below a key that is cut off may begin another secret. */
const shortLine =
  /(?:\r?\n|\\[nr]){1,2}[ \t>|+-]{0,20}[A-Za-z0-9+/]{1,24}={0,2}(?=[ \t]{0,20}(?:[\r\n…"']|$|\.\.\.|\\[nr]|-----))/y;

function pastShortLine(text: string, to: number): number {
  shortLine.lastIndex = to;
  return to > 0 && isBase64(text.charCodeAt(to - 1)) && shortLine.test(text) ? shortLine.lastIndex : to;
}

const lastLine = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
/** Longer than a line number, a diff marker and an indent, or the rest of the last line. */
const widestJoint = 100;

/** A text without private keys of which only the end remains because their first line was cut off. */
export function withoutKeyEnds(text: string, replace: () => string): string {
  let out = '';
  let from = 0;
  for (const { index, 0: line } of text.matchAll(lastLine)) {
    const start = bodyBefore(text, index, from);
    if (start === index) continue;
    out += text.slice(from, start) + replace();
    from = index + line.length;
  }
  return out + text.slice(from);
}

/** The start of the body that ends at `at`: as far back as there are long runs of base64 and no other header line of a key. */
function bodyBefore(text: string, at: number, floor: number): number {
  let start = at;
  let run = 0;
  for (let i = at - 1; i >= floor && start - i <= widestJoint + longRun; i -= 1) {
    if (text.charCodeAt(i) === 45 && text.startsWith('-----', i))
      return text.slice(Math.max(floor, i - endLine), i).includes('-----BEGIN') ? at : start;
    run = isBase64(text.charCodeAt(i)) ? run + 1 : 0;
    if (run >= longRun) start = i;
  }
  return start;
}

const firstLine = /-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----/g;
const bodyAlone = /^[A-Za-z0-9+/=]*$/;
const bodyPart = /[A-Za-z0-9+/=]{24}|^(?:Proc-Type|DEK-Info|Version|Comment): |-----END /;

/** A PuTTY key, a key without its first line, or a key in folded base64. */
const otherFirstLine =
  /Private-Lines: \d|(?:^|[^A-Za-z0-9+/])(?:MII[A-Za-z0-9+/]{2}[AQgw]IBA|MH[cQ]CAQEEI|MIG[A-Za-z0-9+/]AgEAMB|MC4CAQAwBQYDK2V|b3BlbnNzaC1rZXktdjE|LS0tLS1CRUdJTi)/;

/** Whether the last key that begins in a line does not end in it. */
function staysOpen(line: string): boolean {
  if (otherFirstLine.test(line)) return true;
  const begin = Array.from(line.matchAll(firstLine)).at(-1);
  return begin !== undefined && !line.includes('-----END', begin.index + begin[0].length);
}

/** Cheap enough for every line. */
const mayOpen = /-----BEGIN|Private-Lines|MII|MHc|MHQ|MIG|MC4|b3B|LS0/;

/** Follows a private key that is printed line by line, each line as a separate text. */
export class PrivateKeyLines {
  #open = false;

  /** Whether this line belongs to the body of a key that began in an earlier one. */
  isBody(line: string): boolean {
    const body = this.#open && (bodyAlone.test(line.trim()) || bodyPart.test(line.trimStart()));
    this.#open = (body && !/-----END|Private-MAC/.test(line)) || (mayOpen.test(line) && staysOpen(line));
    return body;
  }
}
