/** A part of a text, and where it begins there. */
export interface Part {
  text: string;
  start: number;
}

const closing = /["'”’»)\]*_`]/;
const abbreviations =
  /(?:^|[\s(])(?:e\.g|i\.e|etc|vs|cf|approx|no|nr|resp|incl|z\.B|d\.h|bzw|ca|v|Mr|Dr|St|Fig|p\.ex)\.$/i;

/** Longer sentences are no sentences that a person wrote; only their beginning is looked at. */
const longestSentence = 600;

/** The sentences of a text. Full stops inside code, links, numbers and names do not end one. */
export function sentencesOf(text: string): Part[] {
  const parts: Part[] = [];
  let from = 0;
  let isCode = false;
  const push = (end: number): void => {
    const raw = text.slice(from, end);
    const lead = raw.length - raw.trimStart().length;
    const trimmed = raw.trim();
    if (trimmed !== '')
      parts.push({
        text: trimmed.length > longestSentence ? trimmed.slice(0, longestSentence) : trimmed,
        start: from + lead,
      });
    from = end;
  };
  for (let at = 0; at < text.length; at += 1) {
    const next = text[at] ?? '';
    if (next === '`') isCode = !isCode;
    if (next === '\n') {
      if (isLineEnd(text, from, at)) {
        isCode = false;
        push(at);
      }
      continue;
    }
    if (isCode) continue;
    if (/[\u3002\uFF01\uFF0E\uFF1F]/.test(next)) {
      push(at + 1);
      continue;
    }
    if (next !== '.' && next !== '!' && next !== '?' && next !== '…') continue;
    let end = at + 1;
    while (end < text.length && ('.!?…'.includes(text[end] ?? '') || closing.test(text[end] ?? ''))) {
      if (text[end] === '`') break;
      end += 1;
    }
    const after = text[end];
    if (after !== undefined && !/[\s\u{3000}-\u{9fff}✅❌⚠🎉]/u.test(after)) continue;
    // `go test ./... — pass` goes on.
    if (/^\s{1,2}(?:[—–|:=>→]|-{1,2}>?\s)/.test(text.slice(end, end + 5))) continue;
    if (next === '.' && abbreviations.test(text.slice(Math.max(from, at - 10), at + 1))) continue;
    // `1. ` at the beginning of a line.
    if (next === '.' && /(?:^|\n)\s{0,8}\d{1,3}$/.test(text.slice(Math.max(from, at - 12), at))) continue;
    // Whatever goes on in lower case is one sentence, but for names in code.
    if (
      next === '.' &&
      after !== undefined &&
      /^\s[a-z]{2,}/.test(text.slice(end, end + 4)) &&
      !/^\s(?:and|but|so|then|no|all)\b/.test(text.slice(end, end + 6)) &&
      /(?<![a-z])[a-z]$/i.test(text.slice(Math.max(from, at - 3), at))
    )
      continue;
    push(end);
    at = end - 1;
  }
  push(text.length);
  return parts;
}

/** Whether a line break ends a sentence: it does not where a long line goes on in lower case. */
function isLineEnd(text: string, from: number, at: number): boolean {
  const begin = text.lastIndexOf('\n', at - 1) + 1;
  const line = text.slice(Math.max(begin, from, at - 200), at).trimEnd();
  const rest = text.slice(at + 1, at + 40).trimStart();
  if (rest === '') return true;
  if (/[.!?:;\u3002\uFF01\uFF1A\uFF1B\uFF1F…]$/.test(line) || /[✅✔❌⚠🎉✓✗]$/u.test(line)) return true;
  if (at - Math.max(begin, from) < 50) return true;
  return !/^[a-z(`0-9]/.test(rest);
}

const breaks =
  /(?:[;\uFF1B](?=\s|$|[\u3040-\u9fff`])|,?\s(?:—|–|--|->|→)\s(?=\S)|[,\u3001\uFF0C]\s?(?:and|but|so|while|whereas|yet|then|which|with|though|although|however|because|since|und|aber|et|mais|donc|y|pero|e|mas)?\s|[\u3001\uFF0C]\s?|\s(?:and|but(?<!\b[Aa]ll but)|so|while|whereas|und|aber|sowie|et|mais|y|pero|mas|because|since|as|although|though)\s|:\s|\uFF1A)/g;

/** Where a sentence may fall into clauses: each piece with the text that joins it to the one before. */
export function piecesOf(sentence: string): Part[] {
  const pieces: Part[] = [];
  const masked = maskCode(sentence);
  let from = 0;
  for (const { 0: joint, index } of masked.matchAll(breaks)) {
    if (index === 0 || index + joint.length >= sentence.length) continue;
    // A number is not split at its comma.
    if (/^,$/.test(joint) && /\d/.test(sentence[index - 1] ?? '') && /\d/.test(sentence[index + 1] ?? '')) continue;
    // `src/a.ts → src/b.ts` is one name and the other.
    if (
      /^\s(?:->|→)\s$/.test(joint) &&
      isName(sentence.slice(0, index), true) &&
      isName(sentence.slice(index + joint.length), false)
    )
      continue;
    pieces.push({ text: sentence.slice(from, index), start: from });
    from = index + joint.length;
    if (pieces.length > 40) break;
  }
  pieces.push({ text: sentence.slice(from), start: from });
  return pieces.filter(({ text }) => text.trim() !== '');
}

/** Whether a path stands at that end of the text. */
function isName(text: string, isEnd: boolean): boolean {
  return isEnd
    ? /[\w-]\.\w{1,5}`?$/.test(text.slice(-40))
    : /^`?[\w./@-]{0,200}[\w-]\.\w{1,5}(?![\w(])/.test(text.slice(0, 220));
}

/** The same text, with everything inside code, links, quotation marks and brackets blanked out. */
function maskCode(text: string): string {
  return text.replaceAll(
    /`[^`\n]{0,600}`|\]\([^)\s]{0,600}\)|\([^()\n]{0,300}\)|"[^"\n]{0,300}"|“[^”\n]{0,300}”|«[^»\n]{0,300}»|「[^」\n]{0,300}」/g,
    (found) => '\u0001'.repeat(found.length),
  );
}
