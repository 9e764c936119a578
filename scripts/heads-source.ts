import { beginnings, patternHead } from '../src/redact/pattern.ts';
import { headLength, secretShapes } from '../src/redact/shapes.ts';

/** How each shape of a secret can begin: known at build time, since a run would work it out before its first line. */
export function headsSource(): string {
  const lines = secretShapes.map(({ name, context = '', secret, ignoreCase }) => {
    const heads = beginnings(patternHead(context + secret, ignoreCase === true ? 'i' : '', headLength), headLength);
    return `  // ${name}\n  ${JSON.stringify(heads.join(''))},\n`;
  });
  return `// Made from the shapes by \`npm run generate\`.

/** By shape, in their order: all ways in which its first characters can be written, one after the other. */
export const secretHeads: readonly string[] = [
${lines.join('')}];
`;
}
