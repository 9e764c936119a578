import { eastAsianWidth } from 'get-east-asian-width';

/** A module with the characters that Unicode calls wide, so that no package has to be loaded for it. */
export function wideSource(): string {
  return `// Generated from get-east-asian-width by \`npm run generate\`; do not edit.

/** A character that Unicode calls wide or fullwidth. */
export const wide =
  /[${wideRanges().map(range).join('')}]/u;
`;
}

function wideRanges(): [first: number, last: number][] {
  const ranges: [first: number, last: number][] = [];
  for (let code = 0; code <= 0x10ffff; code += 1) {
    if (eastAsianWidth(code) !== 2) continue;
    const last = ranges.at(-1);
    if (last?.[1] === code - 1) last[1] = code;
    else ranges.push([code, code]);
  }
  return ranges;
}

const escape = (code: number): string => `\\u{${code.toString(16)}}`;
const range = ([first, last]: [number, number]): string =>
  first === last ? escape(first) : `${escape(first)}-${escape(last)}`;
