/** As much of YAML as our manifests use: maps and lists by indentation, lists in brackets, plain and quoted words, numbers. */
export function readYaml(text: string): unknown {
  const lines = text
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.trim().startsWith('#'))
    // An item of a list is a map of its own, two columns further in.
    .flatMap((line) => {
      const item = /^( *)- (.*)$/.exec(line);
      return item === null ? [line] : [`${item[1] ?? ''}-`, `${item[1] ?? ''}  ${item[2] ?? ''}`];
    })
    .map((line) => ({ depth: line.search(/\S/), words: line.trim() }));
  let at = 0;

  function block(depth: number): unknown {
    const first = lines[at];
    if (first === undefined || first.depth < depth) throw new Error('a value is missing');
    if (first.words === '-') return list(first.depth);
    return /^[\w./-]+:(?: |$)/.test(first.words) ? map(first.depth) : scalar(lines[at++]?.words ?? '');
  }

  function list(depth: number): unknown[] {
    const items: unknown[] = [];
    while (lines[at]?.depth === depth && lines[at]?.words === '-') {
      at += 1;
      items.push(block(depth + 1));
    }
    return items;
  }

  function map(depth: number): Record<string, unknown> {
    const found: Record<string, unknown> = {};
    for (let line = lines[at]; line?.depth === depth && line.words !== '-'; line = lines[at]) {
      const colon = line.words.indexOf(':');
      const [key, rest] = [line.words.slice(0, colon), line.words.slice(colon + 1).trim()];
      if (colon < 1 || key in found) throw new Error(`cannot read ${line.words}`);
      at += 1;
      found[key] = rest === '' ? block(depth + 1) : scalar(rest);
    }
    return found;
  }

  const value = block(0);
  if (at < lines.length) throw new Error(`cannot read ${lines[at]?.words ?? ''}`);
  return value;
}

function scalar(words: string): unknown {
  if (words.startsWith('['))
    return words
      .slice(1, -1)
      .split(',')
      .map((word) => scalar(word.trim()));
  const quoted = /^'(.*)'$/.exec(words)?.[1];
  if (quoted !== undefined) return quoted;
  if (words === 'true' || words === 'false') return words === 'true';
  return /^-?\d+$/.test(words) ? Number(words) : words;
}
