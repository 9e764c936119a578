import { parseArgs } from 'node:util';
import { Failure } from '../failure.ts';
import { nearestWord } from '../words/nearest.ts';
import type { Option } from '../contract/field.ts';
import type { Command, Options, Values } from './command.ts';

interface Parsed {
  values: Values<Options>;
  operands: readonly string[];
}

/** The words of a command line, as flags and operands. Throws `Failure` with a message of Runwire's, not of `parseArgs`. */
export function parseWords(command: Command, words: readonly string[]): Parsed {
  const { options } = command;
  const { values, positionals, tokens } = parseArgs({
    args: bindValues(command, words),
    options,
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const option = Object.hasOwn(options, token.name) ? options[token.name] : undefined;
    if (option === undefined) throw unknownOption(command, token.rawName);
    if (option.type === 'boolean' && token.value !== undefined)
      throw new Failure('input', `${token.rawName} takes no value, but ${JSON.stringify(token.value)} was given`);
    if (option.type === 'string' && token.value === undefined) throw valueMissing(command, token.rawName, option);
  }
  return { values: values as Values<Options>, operands: positionals };
}

/**
 * The word after a flag that takes a value is that value, even if it begins with a hyphen (`--timeout -5s`), unless it is itself a
 * flag of this command.
 */
function bindValues(command: Command, words: readonly string[]): string[] {
  const bound: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (word === '--') return [...bound, ...words.slice(at)];
    const option = optionOf(command, word);
    const value = words[at + 1];
    if (option?.bare !== undefined && !isChoice(option, value)) bound.push(`${word}=${option.bare}`);
    else if (option?.type !== 'string' || value === undefined) bound.push(word);
    else if (value === '--' || optionOf(command, value.split('=', 1)[0] ?? '') !== undefined)
      throw valueMissing(command, word, option);
    else {
      // A long flag takes anything after `=`; a short one takes whatever directly follows it, except the empty string.
      bound.push(
        ...(word.startsWith('--') ? [`${word}=${value}`] : value === '' ? [`--${option.name}=`] : [`${word}${value}`]),
      );
      at += 1;
    }
  }
  return bound;
}

/** One of its words, or one that was meant to be. */
function isChoice({ choices = [] }: Option, value: string | undefined): boolean {
  return value !== undefined && (choices.includes(value) || nearestWord(value, choices) !== undefined);
}

interface NamedOption extends Option {
  readonly name: string;
}

/** The option that is exactly this word: `--model`, `-m`. */
function optionOf({ options }: Command, word: string): NamedOption | undefined {
  const found = Object.entries(options).find(
    ([name, { short }]) => word === `--${name}` || (short !== undefined && word === `-${short}`),
  );
  return found === undefined ? undefined : { ...found[1], name: found[0] };
}

function unknownOption(command: Command, word: string): Failure {
  const known = [...Object.keys(command.options), 'help', ...(command.name === 'run' ? ['version'] : [])];
  const name = word.startsWith('--') ? nearestWord(word.slice(2), known) : undefined;
  return new Failure(
    'input',
    `unknown option ${word}${name === undefined ? '' : ` (did you mean --${name}?)`}; see "runwire ${command.name} --help"`,
  );
}

function valueMissing({ name }: Command, word: string, { value = 'VALUE' }: Option): Failure {
  return new Failure('input', `${word} needs a value: ${word} ${value}; see "runwire ${name} --help"`);
}
