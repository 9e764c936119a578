import { join } from 'node:path';
import { defineConfig, type Plugin } from 'vite';
import { changeableLimits } from '../src/contract/orders.ts';
import { askableFilters } from '../src/contract/row-filters.ts';
import { shapes } from '../src/events/shapes.ts';

/** Keeps only the lexer of marked: the shared instance at the end of its file holds a parser and renderers that write HTML, which must not be used here. */
const lexerOnly: Plugin = {
  name: 'lexer-only',
  transform(code, id) {
    if (!id.endsWith('marked.esm.js')) return undefined;
    const end = /\};var \w+=new \w+;function /.exec(code)?.index;
    const lexer = /(\w{1,9}) as Lexer\b/.exec(code)?.[1];
    if (end === undefined || lexer === undefined) throw new Error('marked has changed: look at its last lines');
    return `${code.slice(0, end)}};export{${lexer} as Lexer};`;
  },
};

/** What the page needs of tables that are declared once for all: the names of events, and what filters and limits are called. */
const needed = new Map<string, string>([
  ['src/events/shapes.ts', exported('shapes', Object.fromEntries(Object.keys(shapes).map((name) => [name, 0])))],
  ['src/contract/orders.ts', exported('changeableLimits', changeableLimits)],
  [
    'src/contract/row-filters.ts',
    exported(
      'askableFilters',
      askableFilters.map(({ query, filter: { title, hint, isLinked } }) => ({
        query,
        filter: { title, hint, isLinked },
      })),
    ),
  ],
]);

function exported(name: string, value: object): string {
  return `export const ${name} = ${JSON.stringify(value)};`;
}

const neededOnly: Plugin = {
  name: 'needed-only',
  transform: (_code, id) => [...needed].find(([file]) => id.endsWith(`/${file}`))?.[1],
};

/** The served page: hashed assets, no inline script. `scripts/build-page.ts` makes the single-file report from a separate build. */
export default defineConfig({
  root: import.meta.dirname,
  base: '/',
  logLevel: 'warn',
  plugins: [lexerOnly, neededOnly],
  build: {
    outDir: join(import.meta.dirname, '..', 'dist', 'web'),
    emptyOutDir: true,
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    target: 'es2022',
  },
});
