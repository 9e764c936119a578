// eslint-disable-next-line no-control-regex -- what a terminal obeys is what it removes
const control = /\u001b\[[0-9;?]*[A-Za-z]|[\u0000-\u0008\u000b-\u001f]/g;
const choice = /[[(](?:y(?:es)?\/no?|yes\/no\/\w+|y\/n\/\w+)[\])]\s*[:?>]?\s*$/i;
const wish =
  /\b(?:allow|approve|permission|permit|proceed|trust|confirm|authori[sz]e|grant)\b[^\n]*\?\s*(?:[[(][^\])\n]*[\])])?\s*[:>]?\s*$/i;

/** It may quote a whole command. */
const longestQuestion = 2000;

/** Whether a program's output ends with a question to a person at a terminal; answers the question. JSON is never one. */
export function asksForPermission(tail: string): string | undefined {
  const shown = tail.trimEnd();
  const line = shown
    .slice(shown.lastIndexOf('\n') + 1)
    .replace(control, '')
    .trim();
  if (line === '' || line.length > longestQuestion || line.startsWith('{') || line.endsWith('}')) return undefined;
  return choice.test(line) || wish.test(line) ? line : undefined;
}
