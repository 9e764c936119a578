import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '..', '..', '..');

export interface Block {
  page: string;
  /** Where it begins, from 1. */
  line: number;
  language: string;
  text: string;
  /** The file that it is a copy of, kept equal by `npm run check`. */
  file: string | undefined;
  /** What the text says that it prints: a block without a language that comes right after it, before the next heading. */
  shown: string | undefined;
}

/** Every page that people read, but the records of decisions and of changes. */
export function pages(): string[] {
  const guides = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md') && !path.startsWith('decisions'))
    .map((path) => join('docs', path));
  return ['README.md', 'CONTRIBUTING.md', join('bench', 'README.md'), ...guides.toSorted()];
}

export const textOf = (page: string): string => readFileSync(join(root, page), 'utf8');

export function blocksOf(page: string): Block[] {
  const blocks: Block[] = [];
  let open: Block | undefined;
  let before = '';
  let isFresh = false;
  for (const [index, line] of textOf(page).split('\n').entries()) {
    const [, language] = /^\s*```(\S*)\s*$/.exec(line) ?? [];
    if (open === undefined && language !== undefined) {
      open = {
        page,
        line: index + 1,
        language,
        text: '',
        file: /^<!-- (examples\/\S+) -->$/.exec(before)?.[1],
        shown: undefined,
      };
    } else if (open !== undefined && language === '') {
      if (open.language === 'yaml') open = { ...open, language: 'sh', text: stepsOf(open.text) };
      const previous = blocks.at(-1);
      if (open.language === '' && isFresh && previous !== undefined) previous.shown = open.text;
      isFresh = isCommands(open);
      blocks.push(open);
      open = undefined;
    } else if (open !== undefined) open.text += `${line}\n`;
    else if (line.startsWith('#')) isFresh = false;
    before = line;
  }
  return blocks;
}

/** What the steps of a pipeline run: `run: COMMAND` of GitHub, the items under `script:` of GitLab. */
export function stepsOf(yaml: string): string {
  const [, items = ''] = /^ *script:\n((?: +- .*\n)+)/m.exec(yaml) ?? [];
  return Array.from(
    `${yaml.replaceAll(/^[ -]*run: /gm, '\u0000')}${items.replaceAll(/^ +- /gm, '\u0000')}`.matchAll(/\0(.*\n)/g),
    ([, command = '']) => command,
  ).join('');
}

export const isCommands = ({ language, file }: Block): boolean =>
  ['sh', 'bash', 'console', 'shell'].includes(language) && file === undefined;

/** The commands of a block: what a shell would take one after the other. */
export function commandsOf(text: string): string[] {
  const commands: string[] = [];
  let current: string[] = [];
  for (const line of text.split('\n')) {
    if (current.length === 0 && /^\s*(#.*)?$/.test(line)) continue;
    current.push(line);
    const all = current.join('\n');
    const loops = (all.match(/\b(?:do|then)$/gm) ?? []).length - (all.match(/^\s*(?:done|fi)\b/gm) ?? []).length;
    if (/(?:\\|&&|\|)$/.test(line) || loops > 0) continue;
    commands.push(all);
    current = [];
  }
  return commands;
}

/** Code inside of sentences and tables: `runwire …`. */
export function spokenIn(page: string): string[] {
  const prose = textOf(page).replaceAll(/^\s*```[^]*?^\s*```\s*$/gm, '');
  return Array.from(prose.matchAll(/`([^`\n]+)`/g), ([, code = '']) => code.replaceAll('\\|', '|'));
}
