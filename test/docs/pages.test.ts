import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadCommands } from '../../src/cli/commands.ts';
import { parseWords } from '../../src/cli/parse.ts';
import { UserConfig } from '../../src/builtin/config/schema.ts';
import { blocksOf, commandsOf, isCommands, pages, root, spokenIn, textOf } from './support/pages.ts';

const all = await loadCommands();
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> };

/** A command line as words, good enough for flags: quotes hold words together, a pipe, `>` or `#` ends it. */
function wordsOf(line: string): string[] {
  const [command = ''] = line.replaceAll(/\\\n/g, ' ').split(/ (?:[|>]|&&|;|2>|#|<) ?/);
  return Array.from(command.matchAll(/(?:[^\s"']|"[^"]*"|'[^']*')+/g), ([word]) => word.replaceAll(/["']/g, ''));
}

/** The `runwire …` of a line, behind variables, a pipe or `$(`. */
const invocation = (line: string): string | undefined =>
  /(?:^|[|&(]\s*|^(?:[A-Z_]+=\S+ )+)(?:npx )?runwire ((?:-|[a-z]).*)$/s.exec(line.replace(/\s#\s.*$/s, ''))?.[1];

function problemOf(line: string): string | undefined {
  const words = wordsOf(invocation(line) ?? '');
  const named = all
    .filter(({ name }) => name.split(' ').every((word, index) => words[index] === word))
    .toSorted((one, other) => other.name.length - one.name.length)[0];
  const command = named ?? all.find(({ name }) => name === 'run');
  if (command === undefined) return 'there is no run';
  const own = words
    .slice(named === undefined ? 0 : named.name.split(' ').length)
    .filter((word) => !/^(?:--help|--all|--version|-h|-V|\[.*)$/.test(word));
  // `--flag` alone, in a sentence, is about the flag and not its value.
  const last = own.at(-1)?.replace(/^--?/, '') ?? '';
  if (command.options[last]?.type === 'string') own.push('value');
  try {
    parseWords(command, own.includes('--') ? own.slice(0, own.indexOf('--')) : own);
    return undefined;
  } catch (error) {
    return `${line}: ${String(error)}`;
  }
}

describe.each(pages())('%s', (page) => {
  it('names commands and flags that there are', () => {
    const blocks = blocksOf(page).filter(isCommands);
    const lines = [...blocks.flatMap(({ text }) => commandsOf(text)), ...spokenIn(page)].filter(
      (line) => invocation(line) !== undefined,
    );
    expect(lines.map(problemOf).filter((problem) => problem !== undefined)).toEqual([]);
  });

  it('names scripts that there are', () => {
    const named = Array.from(textOf(page).matchAll(/npm run (?:-s |--silent )?([\w:-]+)/g), ([, name = '']) => name);
    expect(named.filter((name) => scripts[name] === undefined)).toEqual([]);
  });

  it('leads to files, and to headings, that there are', () => {
    const slug = (heading: string): string =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .trim()
        .replaceAll(' ', '-');
    const headings = (path: string): string[] =>
      Array.from(textOf(path).matchAll(/^#+ (.*)$/gm), ([, heading = '']) => slug(heading));
    const links = Array.from(textOf(page).matchAll(/\]\(([^)\s]+)\)/g), ([, target = '']) => target).filter(
      (target) => !/^\w+:/.test(target),
    );
    const broken = links.filter((target) => {
      const [path = '', anchor] = target.split('#');
      const file = path === '' ? page : normalize(join(dirname(page), path));
      return (
        !existsSync(join(root, file)) ||
        (anchor !== undefined && file.endsWith('.md') && !headings(file).includes(anchor))
      );
    });
    expect(broken).toEqual([]);
  });

  it('has JSON that is JSON', () => {
    for (const { language, text } of blocksOf(page))
      if (language === 'json') expect(() => JSON.parse(text) as unknown).not.toThrow();
  });
});

it('every guide is in the list of guides', () => {
  const list = textOf(join('docs', 'README.md'));
  const guides = pages().filter((page) => /^docs\/(?!README)[^/]+\.md$/.test(page));
  expect(guides.filter((page) => !list.includes(`](${basename(page)})`))).toEqual([]);
  expect(textOf('README.md')).toContain('](docs/README.md)');
});

it('every test that holds a promise of security is there', () => {
  const named = [...textOf('docs/security.md').matchAll(/`(test\/[^`]+)`/g)].map(([, path = '']) => path);
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

it('the examples of every help are commands that there are', () => {
  const lines = all
    .flatMap(({ examples }) => examples.map(([line]) => line))
    .filter((line) => invocation(line) !== undefined);
  expect(lines.length).toBeGreaterThan(50);
  expect(lines.map(problemOf).filter((problem) => problem !== undefined)).toEqual([]);
});

it('the config file of the guide is one', () => {
  const shown = blocksOf(join('docs', 'agent.md')).find(({ language }) => language === 'json');
  expect(UserConfig.safeParse(JSON.parse(shown?.text ?? '')).error).toBeUndefined();
});
