import { oneLine } from '../../../terminal/plain.ts';

const shownOfOutput = 60;

/** The result of a call in a few words: a short line as it is, a longer text by its size. */
export function gist(output: unknown): string | undefined {
  if (output === undefined || output === null) return undefined;
  const text = (typeof output === 'string' ? output : JSON.stringify(output)).trim();
  if (text === '') return undefined;
  const lines = countLines(text);
  return lines > 1 ? `${lines} lines` : oneLine(text, shownOfOutput);
}

const linesOfEnd = 8;
/** What the built-in agent tells its model; the line above has it. */
const exitMark = /^\[exit code \d+\]$/;

/** The end of what a failed call printed: that is where a program says what went wrong. */
export function endOf(output: string): string[] {
  const lines = output.slice(-4000).split(/[\r\n]+/);
  return lines.filter((line) => line.trim() !== '' && !exitMark.test(line)).slice(-linesOfEnd);
}

function countLines(text: string): number {
  let count = 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

/** The last line of what a running call printed. */
export function lastLine(chunk: string): string {
  return oneLine(
    chunk
      .slice(-400)
      .trimEnd()
      .split(/[\r\n]/)
      .at(-1) ?? '',
    shownOfOutput,
  );
}
