import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { agents } from '../src/agents/registry.ts';
import { dialects } from '../src/dialects/registry.ts';
import { outputs } from '../src/reports/step-outputs.ts';
import { agentPages } from './agent-pages.ts';
import { formatTables } from './format-tables.ts';
import { headsSource } from './heads-source.ts';
import { manPage } from './man-page.ts';
import { requestSource } from './request-source.ts';
import { shapesSource } from './shapes-source.ts';
import { wideSource } from './wide-source.ts';

const root = join(import.meta.dirname, '..');

/** Path → what the file must contain. */
export async function generatedFiles(): Promise<Map<string, string>> {
  const library = readFileSync(join(root, 'docs', 'library.md'), 'utf8');
  return new Map([
    ['src/contract/run-options.ts', requestSource()],
    ['src/events/shapes.ts', shapesSource()],
    ['src/redact/heads.ts', headsSource()],
    ['src/terminal/wide.ts', wideSource()],
    ['docs/dialects.md', dialectTable()],
    ['docs/agents.md', withAgentTable(readFileSync(join(root, 'docs', 'agents.md'), 'utf8'))],
    ...(await agentPages()),
    ['docs/ci.md', withOutputTable(readFileSync(join(root, 'docs', 'ci.md'), 'utf8'))],
    ['action.yml', withOutputs(readFileSync(join(root, 'action.yml'), 'utf8'))],
    ['docs/formats.md', formatTables()],
    ['docs/man/runwire.1', await manPage()],
    ['docs/library.md', withExamples(library)],
    ['docs/frontends.md', withExamples(readFileSync(join(root, 'docs', 'frontends.md'), 'utf8'))],
    ['docs/panes.md', withExamples(readFileSync(join(root, 'docs', 'panes.md'), 'utf8'))],
  ]);
}

function withOutputTable(markdown: string): string {
  const rows = Object.entries(outputs).map(([name, { about }]) => `| \`${name}\` | ${about} |`);
  return markdown.replace(
    /(\| output \| value \|\n\| --- \| --- \|\n)(?:\|.*\n)*/,
    (_table, head: string) => `${head}${rows.join('\n')}\n`,
  );
}

function withOutputs(action: string): string {
  const all = Object.entries(outputs).map(
    ([name, { about }]) => `  ${name}:\n    description: ${about}\n    value: \${{ steps.run.outputs.${name} }}\n`,
  );
  return action.replace(/(^outputs:\n)(?: .*\n)*/m, (_outputs, head: string) => head + all.join(''));
}

function dialectTable(): string {
  const rows = dialects.map(({ id, about, encoder, variants }) => {
    const names = (variants ?? []).map((each) => `\`${each.name}\``);
    const writes =
      encoder === undefined
        ? 'no'
        : `${about.writes ?? 'yes'}${names.length > 1 ? ` (variants ${names.join(', ')})` : ''}`;
    return `| \`${id}\` | ${about.agent} | ${about.reads ?? 'no'} | ${writes} |`;
  });
  return `# Dialects

Made from the registry by \`npm run generate\`; \`runwire dialects\` prints the same list.

A dialect is the wire format of one agent, or a format that others read runs in. Reading detects it from the first lines, \`--from\` names it. Writing takes a name, or a name and a
variant: \`--to claude:json\`. \`runwire schema NAME\` prints the JSON Schema of one object of its wire.

| name | agent | reads | writes |
| --- | --- | --- | --- |
${rows.join('\n')}
`;
}

/** A code block that names a file in examples/ holds exactly that file, so that what is shown is what is tested. */
function withExamples(markdown: string): string {
  return markdown.replace(
    /<!-- (examples\/[\w./-]+) -->\n```(\w+)\n(?:[\s\S]*?\n)?```/g,
    (_block, path: string, language: string) => {
      return `<!-- ${path} -->\n\`\`\`${language}\n${readFileSync(join(root, path), 'utf8')}\`\`\``;
    },
  );
}

const agentTableStart = '<!-- agents: made from the registry by `npm run generate` -->';
const agentTableEnd = '<!-- end of agents -->';

function withAgentTable(markdown: string): string {
  const [before, after] = [markdown.indexOf(agentTableStart), markdown.indexOf(agentTableEnd)];
  if (before === -1 || after === -1) throw new Error('docs/agents.md has no place for the table of agents');
  return `${markdown.slice(0, before + agentTableStart.length)}\n\n${agentTable()}\n${markdown.slice(after)}`;
}

/** Shows the command line of a plain run that may edit. */
function agentTable(): string {
  const rows = agents.map(({ id, title, binaries, dialect, abilities, tested, knownAt, recorded, plan }) => {
    const { args, stdin } = plan(
      { prompt: 'PROMPT', cwd: '/', permissionMode: 'edit', directories: [], extraArgs: [] },
      tested,
    );
    const line = `${[binaries[0], ...args].join(' ')}${stdin === undefined ? '' : ' < PROMPT'}`;
    const can = (list: readonly string[]): string => (list.length === 0 ? 'none' : list.join(', '));
    const { permissionModes, ownLimits, resume, prompt } = abilities;
    return `| [\`${id}\`](agents/${id}.md) | ${title} | \`${line}\` | \`${dialect}\` | ${can(permissionModes)} | ${can(ownLimits)} | ${resume ? 'yes' : 'no'} | ${prompt} | ${tested ?? (recorded === undefined ? 'its documents' : `recordings of ${recorded}`)}, ${knownAt} |\n`;
  });
  return `| name | agent | a run with \`--permission-mode edit\` | dialect | permission modes | own limits | resume | prompt by | tried with |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
${rows.join('')}`;
}
