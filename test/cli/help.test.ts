import { expect, it } from 'vitest';
import { loadCommands } from '../../src/cli/commands.ts';
import { commandHelp, rootHelp } from '../../src/cli/help.ts';
import { cells } from '../../src/terminal/cells.ts';

const all = await loadCommands();
const helps = (width: number): string[] => [rootHelp(width), ...all.map((each) => commandHelp(each, width))];
/** What is left when lines are joined again. */
const words = (text: string): string[] =>
  text
    .replaceAll(/ \\\n/g, ' ')
    .split(/\s+/)
    .filter((word) => word !== '#');

it.each([40, 41, 50, 64, 80, 100])('the help of every command fits %d columns, and breaks no word', (width) => {
  const whole = helps(1000);
  for (const [index, text] of helps(width).entries()) {
    expect(text.split('\n').filter((line) => cells(line) > width)).toEqual([]);
    expect(words(text)).toEqual(words(whole[index] ?? ''));
  }
});

it('a letter is one flag, whichever the command', () => {
  const names = new Map<string, Set<string>>();
  for (const { options } of all)
    for (const [name, { short }] of Object.entries(options))
      if (short !== undefined) names.set(short, new Set([...(names.get(short) ?? []), name]));
  expect([...names].filter(([, flags]) => flags.size > 1)).toEqual([]);
  expect([names.get('f'), names.get('q')]).toEqual([new Set(['follow']), new Set(['quiet'])]);
});
