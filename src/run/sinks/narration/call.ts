import { oneLine } from '../../../terminal/plain.ts';

const subjects = ['command', 'cmd', 'path', 'file_path', 'filePath', 'absolute_path', 'pattern', 'url', 'query', 'prompt', 'description'];

/** The one argument that says most of a call. */
export function subject(args: unknown): string {
  if (typeof args !== 'object' || args === null) return typeof args === 'string' ? args : '';
  const fields = new Map<string, unknown>(Object.entries(args));
  for (const name of subjects) {
    const value = fields.get(name);
    if (typeof value === 'string') return value;
    if (Array.isArray(value) && value.every((word) => typeof word === 'string')) return value.join(' ');
  }
  const changes = fields.get('changes');
  if (Array.isArray(changes) && changes.length > 0 && changes.every(hasPath)) return changes.map(({ path }) => path).join(' ');
  return fields.size === 0 ? '' : JSON.stringify(args);
}

function hasPath(value: unknown): value is { path: string } {
  return typeof value === 'object' && value !== null && 'path' in value && typeof value.path === 'string';
}

const shownOfOutput = 60;

/** What a call gave back, in a few words: a short line as it is, of a longer text its size. */
export function gist(output: unknown): string | undefined {
  if (output === undefined || output === null) return undefined;
  const text = (typeof output === 'string' ? output : JSON.stringify(output)).trim();
  if (text === '') return undefined;
  const lines = countLines(text);
  return lines > 1 ? `${lines} lines` : oneLine(text, shownOfOutput);
}

function countLines(text: string): number {
  let count = 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

/** The last line of what a running call printed. */
export function lastLine(chunk: string): string | undefined {
  const line = oneLine(
    chunk
      .slice(-400)
      .trimEnd()
      .split(/[\r\n]/)
      .at(-1) ?? '',
    shownOfOutput,
  );
  return line === '' ? undefined : line;
}
