/** A stretch of terminal output in one look. */
export interface Shade {
  text: string;
  /** Names of style rules, with spaces between them. */
  classes: string;
}

const hues = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'];
const decorations = new Map([
  [1, 'bold'],
  [2, 'dim'],
  [3, 'italic'],
  [4, 'underline'],
  [9, 'strikethrough'],
]);
// oxlint-disable-next-line no-control-regex
const sequence = /\u001b\[([0-9;:]*)m/g;

/** Output whose only control sequences are colours, cut where the look changes. The ground keeps the colour of the page. */
export function shadesOf(text: string): Shade[] {
  const shades: Shade[] = [];
  const look = { hue: '', marks: new Set<string>() };
  let at = 0;
  function push(to: number): void {
    const classes = [look.hue, ...look.marks].filter((name) => name !== '').map((name) => `ansi-${name}`);
    if (to > at) shades.push({ text: text.slice(at, to), classes: classes.join(' ') });
  }
  for (const found of text.matchAll(sequence)) {
    push(found.index);
    at = found.index + found[0].length;
    change(look, (found[1] ?? '').split(/[;:]/).map(Number));
  }
  push(text.length);
  return shades;
}

function change(look: { hue: string; marks: Set<string> }, codes: readonly number[]): void {
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at] ?? 0;
    const mark = decorations.get(code);
    if (code === 0) {
      look.hue = '';
      look.marks.clear();
    } else if (mark !== undefined) look.marks.add(mark);
    else if (code === 22) for (const each of ['bold', 'dim']) look.marks.delete(each);
    else if (code >= 23 && code <= 29) look.marks.delete(decorations.get(code - 20) ?? '');
    else if (code === 39) look.hue = '';
    else if (code >= 30 && code <= 37) look.hue = hues[code - 30] ?? '';
    else if (code >= 90 && code <= 97) look.hue = hues[code - 90] ?? '';
    else if (code === 38 || code === 48) {
      // A colour of the palette is one number more, any other colour three.
      const isPalette = codes[at + 1] === 5;
      const values = codes.slice(at + 2, at + (isPalette ? 3 : 5));
      if (code === 38) look.hue = isPalette ? ofPalette(values[0] ?? 0) : nearest(values);
      at += isPalette ? 2 : 4;
    }
  }
}

function ofPalette(number: number): string {
  if (number < 16) return hues[number % 8] ?? '';
  if (number >= 232) return '';
  const cube = number - 16;
  return nearest([Math.floor(cube / 36) * 51, (Math.floor(cube / 6) % 6) * 51, (cube % 6) * 51]);
}

/** The nearest of the eight; a grey has none, since it could not be read on every ground. */
function nearest([red = 0, green = 0, blue = 0]: readonly number[]): string {
  const most = Math.max(red, green, blue);
  if (!(most > 60) || most - Math.min(red, green, blue) < 40) return '';
  return hues[[red, green, blue].reduce((sum, value, index) => sum + (value > most / 2 ? 2 ** index : 0), 0)] ?? '';
}
