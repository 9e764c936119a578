import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { dialects } from '../src/dialects/registry.ts';
import { manPage } from './man-page.ts';
import { shapesSource } from './shapes-source.ts';

const root = join(import.meta.dirname, '..');

/** Path → what must be in it. */
export async function generatedFiles(): Promise<Map<string, string>> {
  const library = readFileSync(join(root, 'docs', 'library.md'), 'utf8');
  return new Map([
    ['src/events/shapes.ts', shapesSource()],
    ['docs/dialects.md', dialectTable()],
    ['docs/man/runwire.1', await manPage()],
    ['docs/library.md', withExamples(library)],
  ]);
}

function dialectTable(): string {
  const rows = dialects.map(({ id, about, encoder, variants }) => {
    const names = (variants ?? []).map((each) => `\`${each.name}\``);
    const writes = encoder === undefined ? 'no' : `${about.writes ?? 'yes'}${names.length > 1 ? ` (variants ${names.join(', ')})` : ''}`;
    return `| \`${id}\` | ${about.agent} | ${about.reads} | ${writes} |`;
  });
  return `# Dialects

Made from the registry by \`npm run generate\`; \`runwire dialects\` prints the same list.

A dialect is the wire format of one agent. Reading detects it from the first lines, \`--from\` names it. Writing takes a name, or a name and a
variant: \`--to claude:json\`. \`runwire schema NAME\` prints the JSON Schema of one object of its wire.

| name | agent | reads | writes |
| --- | --- | --- | --- |
${rows.join('\n')}
`;
}

/** Code blocks that name a file in examples/ hold that very file, so that what is shown is what is tested. */
function withExamples(markdown: string): string {
  return markdown.replace(/<!-- (examples\/[\w./-]+) -->\n```ts\n[\s\S]*?```/g, (_block, path: string) => {
    return `<!-- ${path} -->\n\`\`\`ts\n${readFileSync(join(root, path), 'utf8')}\`\`\``;
  });
}
