// eslint-disable-next-line no-control-regex -- removing control sequences is the point
const control = /\u001b\[[0-9;?]*[A-Za-z]|[\u0000-\u0008\u000b-\u001f]/g;
const choices = /^(?:y(?:es)?\/no?|yes\/no\/\w+|y\/n\/\w+)$/i;
const wish = /\b(?:allow|approve|permission|permit|proceed|trust|confirm|authori[sz]e|grant)\b/i;

/** A question may quote a whole command. */
const longestQuestion = 2000;

/** Returns the question to a person at a terminal that a program's output ends with, if there is one. JSON is never a question. */
export function asksForPermission(tail: string): string | undefined {
  const shown = tail.trimEnd();
  const line = shown
    .slice(shown.lastIndexOf('\n') + 1)
    .replace(control, '')
    .trim();
  if (line === '' || line.length > longestQuestion || line.startsWith('{') || line.endsWith('}')) return undefined;
  return offersChoices(line) || asksForWish(line) ? line : undefined;
}

// Both read from the end of the line, where its shape is fixed: a pattern for the whole line would backtrack over every way to divide it.

/** `… [y/N]`, `… (yes/no/always):` */
function offersChoices(line: string): boolean {
  const rest = withoutLast(line, ':?>');
  if (!/[\])]$/.test(rest.slice(-1))) return false;
  const open = Math.max(rest.lastIndexOf('['), rest.lastIndexOf('('));
  return open !== -1 && choices.test(rest.slice(open + 1, -1));
}

/** `Allow …?`, `Do you trust …? [1-3] >` */
function asksForWish(line: string): boolean {
  const rest = withoutLast(line, ':>');
  if (rest.endsWith('?')) return wish.test(rest);
  if (!/[\])]$/.test(rest.slice(-1))) return false;
  const answers = rest.slice(0, -1);
  const from = Math.max(answers.lastIndexOf(']'), answers.lastIndexOf(')')) + 1;
  const mark = Array.from(answers.slice(from).matchAll(/\?\s*[[(]/g)).at(-1);
  return mark !== undefined && wish.test(answers.slice(0, from + mark.index));
}

function withoutLast(line: string, signs: string): string {
  const last = line.at(-1) ?? '';
  return last !== '' && signs.includes(last) ? line.slice(0, -1).trimEnd() : line;
}
