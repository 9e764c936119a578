import { expect, it } from 'vitest';
import { commandRows, shellWords } from '../../src/terminal/shell-words.ts';

it('quotes keep words together', () => {
  expect(shellWords(`runwire --cwd '/it'\\''s here' -p "a \\" b" x`)).toEqual([
    'runwire',
    '--cwd',
    `'/it'\\''s here'`,
    '-p',
    '"a \\" b"',
    'x',
  ]);
});

it('a command line goes on after a backslash', () => {
  expect(commandRows(`runwire --model a/b --allow 'bash(npm test:*)' continue`, 30)).toEqual([
    'runwire --model a/b --allow \\',
    `'bash(npm test:*)' continue`,
  ]);
});
