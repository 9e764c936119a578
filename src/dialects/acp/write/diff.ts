import type { JsonObject } from '../../../json/json.ts';

/** A unified diff as the two texts that an editor expects: the parts of the file that its hunks show, before and after. */
export function diffOf(path: string, unified: string): JsonObject | undefined {
  const before: string[] = [];
  const after: string[] = [];
  let isHunk = false;
  for (const line of unified.split('\n')) {
    const [sign, rest] = [line.charAt(0), line.slice(1)];
    if (line.startsWith('@@')) isHunk = true;
    else if (!isHunk || sign === '\\') continue;
    else if (sign === '-') before.push(rest);
    else if (sign === '+') after.push(rest);
    else if (sign === ' ') {
      before.push(rest);
      after.push(rest);
    }
  }
  if (before.length + after.length === 0) return undefined;
  return { type: 'diff', path, oldText: before.length === 0 ? null : textOf(before), newText: textOf(after) };
}

const textOf = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');
