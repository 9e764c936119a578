import { soundsSecret } from '../../../redact/secret-names.ts';

/**
 * A text, usually a command, without the values of names that sound secret: `TOKEN=x`, `--token x`, `"Authorization: x"`,
 * `"token": "x"`.
 */
export function masked(text: string): string {
  let shown = '';
  let from = 0;
  for (const { 0: name, index } of text.matchAll(/[A-Za-z_][\w.-]*/g)) {
    if (index < from || !soundsSecret(name)) continue;
    const value = valueAfter(text, index, index + name.length);
    if (value === undefined || value.start === value.end) continue;
    shown += `${text.slice(from, value.start)}[redacted]`;
    from = value.end;
  }
  return shown + text.slice(from);
}

interface Span {
  start: number;
  end: number;
}

function valueAfter(text: string, start: number, end: number): Span | undefined {
  if (text[end] === '=') return valueAt(text, end + 1);
  const before = text[start - 1];
  const isQuoted = before === '"' || before === "'";
  const isKey = isQuoted && text[end] === before;
  const next = afterSpaces(text, isKey ? end + 1 : end);
  if (isQuoted && text[next] === ':') {
    const value = afterSpaces(text, next + 1);
    return isKey ? valueAt(text, value) : { start: value, end: endOf(text, value, `${before}\n`) };
  }
  return before === '-' && next > end && text[next] !== '-' ? valueAt(text, next) : undefined;
}

function valueAt(text: string, start: number): Span {
  const quote = text[start];
  if (quote !== '"' && quote !== "'") return { start, end: endOf(text, start, ' \t\r\n"\'&,}]') };
  let end = start + 1;
  while (end < text.length && text[end] !== quote) end += text[end] === '\\' ? 2 : 1;
  return { start, end: Math.min(end + 1, text.length) };
}

function endOf(text: string, start: number, stops: string): number {
  let end = start;
  while (end < text.length && !stops.includes(text[end] ?? '')) end += 1;
  return end;
}

function afterSpaces(text: string, start: number): number {
  let end = start;
  while (text[end] === ' ' || text[end] === '\t') end += 1;
  return end;
}
