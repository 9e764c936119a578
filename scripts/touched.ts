// In how many files a field is spelt, and in which: `node scripts/touched.ts max_turns agent_version`. What is declared once is spelt in few.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const src = join(import.meta.dirname, '..', 'src');
const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => ({ path, text: readFileSync(join(src, path), 'utf8') }));

/** `max_turns`, `max-turns`, `maxTurns`. */
function spellings(name: string): string[] {
  const words = name.toLowerCase().split(/[_-]/);
  const inCamelCase = words.map((word, index) => (index === 0 ? word : word.slice(0, 1).toUpperCase() + word.slice(1)));
  return [words.join('_'), words.join('-'), inCamelCase.join('')];
}

for (const name of process.argv.slice(2)) {
  const wanted = new RegExp(`(?<![\\w-])(?:--)?(?:${spellings(name).join('|')})(?![\\w-])`);
  const found = files.filter(({ text }) => wanted.test(text)).map(({ path }) => path);
  console.log([`${name}: ${found.length} files`, ...found.toSorted().map((path) => `  src/${path}`)].join('\n'));
}
