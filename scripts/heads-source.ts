import { beginnings, type Pattern, patternHead } from '../src/redact/pattern.ts';
import { headLength, secretShapes } from '../src/redact/shapes.ts';

/** How each shape of a secret can begin: computed at build time, so that no run has to do it before its first line. */
export function headsSource(): string {
  const lines = secretShapes.map(({ context = '', secret, ignoreCase, startsWithHex }) => {
    const head = patternHead(context + secret, ignoreCase === true ? 'i' : '', headLength + 2);
    const heads = startsWithHex === true ? [] : beginnings(head, headLength);
    return `  [${JSON.stringify(heads.join(''))}, ${maskAt(head, headLength)}, ${maskAt(head, headLength + 1)}],\n`;
  });
  return `// Made from the shapes by \`npm run generate\`.

/**
 * By shape, in their order: all ways in which its first characters can be written, one after the other, and which may stand
 * in the two places after them, a bit for each code modulo 32.
 */
export const secretHeads: readonly (readonly [heads: string, fourth: number, fifth: number])[] = [
${lines.join('')}];
`;
}

interface State {
  place: number;
  taken: number;
}

/** The states that can be reached in a pattern without reading another character. */
function reached(parts: Pattern, { place, taken }: State): State[] {
  const part = parts[place];
  if (part === undefined || taken < part.min) return [{ place, taken }];
  const further = reached(parts, { place: place + 1, taken: 0 });
  return taken < part.max ? [{ place, taken }, ...further] : further;
}

/** The characters that may stand at this place of a text, a bit for each code modulo 32. */
function maskAt(parts: Pattern, at: number): number {
  let states = reached(parts, { place: 0, taken: 0 });
  for (let i = 0; i < at; i += 1)
    states = states.flatMap(({ place, taken }) => reached(parts, { place, taken: taken + 1 }));
  let mask = 0;
  for (const { place } of states) {
    const part = parts[place];
    if (part === undefined || part.others) return 0xffffffff;
    for (const [code, isIn] of part.ascii.entries()) if (isIn === 1) mask |= 1 << (code & 31);
  }
  return mask >>> 0;
}
