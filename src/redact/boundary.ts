/** What may not precede the first character of a secret. `word`: a letter or digit; `name`: also `-` and `_`; `base64`: also `+` and `/`; `any`: anything may. */
export type Boundary = 'word' | 'name' | 'base64' | 'any';

/** Whether a secret may begin at `at`; nothing before `floor` is looked at. */
export function isBoundary(text: string, at: number, floor: number, kind: Boundary): boolean {
  if (kind === 'any' || at <= floor) return true;
  const code = text.charCodeAt(at - 1);
  if (kind !== 'word' && (code === 45 || code === 95)) return code === 45 && isFirst(text, at - 1, floor);
  if (kind === 'base64' && (code === 43 || code === 47)) return code === 43 && isFirst(text, at - 1, floor);
  return !isAlphanumeric(code) || endsEscape(text, at, floor, code);
}

/** Whether a character is the first of its line: there, `+` and `-` are diff markers. */
function isFirst(text: string, at: number, floor: number): boolean {
  if (at <= floor) return true;
  const code = text.charCodeAt(at - 1);
  return code === 10 || (code === 110 && at - 2 >= floor && text.charCodeAt(at - 2) === 92);
}

/** The letter or digit before a secret may be the end of an escape: \n in JSON, %3D in a URL, \u003d, \x3d, a terminal's colour. */
function endsEscape(text: string, at: number, floor: number, last: number): boolean {
  if (at - 2 >= floor && text.charCodeAt(at - 2) === 92) return 'nrtbf'.includes(String.fromCharCode(last));
  if (last === 109 || last === 75) return endsColour(text, at - 2, floor);
  if (!isHexDigit(last) || at - 3 < floor || !isHexDigit(text.charCodeAt(at - 2))) return false;
  if (text.charCodeAt(at - 3) === 37) return true;
  if (at - 4 >= floor && text.startsWith('\\x', at - 4)) return true;
  return (
    at - 6 >= floor &&
    text.startsWith('\\u', at - 6) &&
    isHexDigit(text.charCodeAt(at - 3)) &&
    isHexDigit(text.charCodeAt(at - 4))
  );
}

const longestColour = 12;

/** `[32m`, or `[K` to the end of the line, with or without the escape character before it. */
function endsColour(text: string, last: number, floor: number): boolean {
  const first = Math.max(floor, last - longestColour);
  for (let at = last; at >= first; at -= 1) {
    const code = text.charCodeAt(at);
    if (code === 91) return true;
    if (code !== 59 && (code < 48 || code > 57)) return false;
  }
  return false;
}

function isHexDigit(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 97 && code <= 102) || (code >= 65 && code <= 70);
}

function isAlphanumeric(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57);
}
