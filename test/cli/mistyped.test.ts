import { expect, it } from 'vitest';
import { runs } from '../../src/cli/commands/runs.ts';
import { mistyped, runsCommands } from '../../src/cli/mistyped.ts';

it('knows every command under runs', () => expect(runsCommands).toEqual(runs.subcommands?.map(({ name }) => name)));

it.each([
  ['stats', 'runs stats'],
  ['list', 'runs list'],
  ['Show', 'runs show'],
  ['verison', '--version'],
  ['version', '--version'],
  ['hlep', '--help'],
  ['rnu', 'run'],
  ['rn', 'run'],
  ['agent', 'agents'],
  ['exprot', 'runs export'],
  ['complete', 'completion'],
])('%s was meant as %s, whatever follows it', (word, meant) => {
  expect(mistyped({ word, isAlone: false })).toBe(
    `unknown command "${word}" (did you mean "${meant}"?); see "runwire --help"; for a prompt that begins with this word, use -p`,
  );
});

it.each([
  ['logs', ' (did you mean "runs tail"?)'],
  ['login', ' (did you mean "doctor"?)'],
  ['web', ' (did you mean "serve"?)'],
  ['update', ''],
])('%s alone is what other tools call a command', (word, hint) => {
  expect(mistyped({ word, isAlone: true })).toMatch(`unknown command "${word}"${hint};`);
  expect(mistyped({ word, isAlone: false })).toBeUndefined();
});

it('a command after flags has to come first', () => {
  expect(mistyped({ word: 'doctor', isAlone: true })).toBe(
    '"doctor" is a command and comes first: "runwire doctor"; for a prompt that begins with this word, use -p',
  );
});

it('after run, only the names under runs are a slip', () => {
  expect(mistyped({ word: 'show', isAlone: false, isExplicit: true })).toMatch(
    'unknown command "run show" (did you mean "runs show"?)',
  );
  expect(mistyped({ word: 'plan', isAlone: true, isExplicit: true })).toBeUndefined();
});

it.each([
  'hello',
  'explain',
  'fix',
  'write',
  'review',
  'report',
  'test',
  'add',
  'why?',
  'list all files',
  'make',
  'do-it',
  'x',
  'refactor',
])('%s begins a prompt', (word) => expect(mistyped({ word, isAlone: true })).toBeUndefined());

it.each(['doctor', 'outcome', 'agents'])('"run %s" is no prompt: it is the name of a command', (word) => {
  expect(mistyped({ word, isAlone: true, isExplicit: true })).toContain(`"runwire ${word}"`);
  expect(mistyped({ word, isAlone: false, isExplicit: true })).toBeUndefined();
});
