type Change = (lines: readonly string[], at: number) => readonly string[];

/** What happens to streams: `at` is a place in it, from 0 to 1. */
export const changes: Record<string, Change> = {
  none: (lines) => lines,
  'cut between lines': (lines, at) => lines.slice(0, Math.ceil(lines.length * at)),
  'cut in a line': (lines, at) => {
    const kept = lines.slice(0, Math.ceil(lines.length * at));
    return [...kept.slice(0, -1), (kept.at(-1) ?? '').slice(0, -3)];
  },
  'a line lost': (lines, at) => lines.toSpliced(Math.floor(lines.length * at), 1),
  'a line twice': (lines, at) =>
    lines.toSpliced(Math.floor(lines.length * at), 0, lines[Math.floor(lines.length * at)] ?? ''),
  'a line damaged': (lines, at) =>
    lines.with(Math.min(Math.floor(lines.length * at), lines.length - 1), '{"type":"res'),
  'a second run begun': (lines, at) => [...lines, ...lines.slice(0, Math.ceil(lines.length * at))],
};

/** What happens to streams, and makes several of one or none of any. */
export const wilderChanges: Record<string, Change> = {
  ...changes,
  'every line twice': (lines) => lines.flatMap((line) => [line, line]),
  'lines of two runs in turn': (lines, at) => {
    const shift = Math.floor(lines.length * at);
    return lines.flatMap((line, index) => [line, ...lines.slice(index - shift, index - shift + 1)]);
  },
  'backwards from a place': (lines, at) => {
    const from = Math.floor(lines.length * at);
    return [...lines.slice(0, from), ...lines.slice(from).toReversed()];
  },
  'lines that is unknown': (lines) =>
    lines.flatMap((line, index) => [line, JSON.stringify({ type: `new.${index}`, item: { id: 'x' }, value: null })]),
};
