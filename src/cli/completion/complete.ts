import type { Option } from '../../contract/field.ts';
import { failOnWords } from '../../outcome/verdict.ts';
import type { Command } from '../command.ts';
import { commands } from '../commands.ts';
import { type Answer, candidates, type Candidate, nothing, type Values } from './answer.ts';

/** What may stand in place of the last of these words, which may be empty; the first is what follows `runwire`. */
export async function complete(words: readonly string[], values: Values): Promise<Answer> {
  const current = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  if (before.length === 0 && !current.startsWith('-')) return matching(candidates(commandNames()), current);
  if (before[0] === 'help') return before.length === 1 ? matching(candidates(commandNames()), current) : nothing;
  const { command, rest } = await chosen(before);
  const end = rest.indexOf('--');
  if (end !== -1)
    return command.takesCommand === true ? { candidates: [], paths: 'files' } : await operand(command, current, values);

  const inOne = /^(--[a-z-]+=)(.*)$/s.exec(current);
  if (inOne !== null) {
    const [, flag = '', value = ''] = inOne;
    const answer = await flagValue(command, flag.slice(0, -1), value, values);
    return answer === undefined ? nothing : prefixed(answer, flag);
  }
  const value = await flagValue(command, rest.at(-1) ?? '', current, values);
  if (value !== undefined) return value;
  if (current.startsWith('-'))
    return matching({ candidates: flagsOf(command, before.length === 0), paths: 'none' }, current);
  const under =
    rest.length === 0 && command.subcommands !== undefined
      ? candidates(command.subcommands.map(entryCandidate))
      : nothing;
  const operands = await operand(command, current, values);
  const all = matching(under, current);
  return { ...operands, candidates: [...all.candidates, ...operands.candidates] };
}

const entryCandidate = ({ name, summary }: { name: string; summary: string }): Candidate => ({
  value: name,
  about: summary,
});

function commandNames(): Candidate[] {
  return [...commands.map(entryCandidate), { value: 'help', about: 'Show the help of a command' }];
}

/** Without a command it is a run. */
async function chosen(words: readonly string[]): Promise<{ command: Command; rest: readonly string[] }> {
  const named = commands.find(({ name }) => name === words[0]);
  const entry = named ?? commands.find(({ name }) => name === 'run');
  if (entry === undefined) throw new Error('there is no command run');
  let command = await entry.load();
  let rest = named === undefined ? words : words.slice(1);
  for (;;) {
    const under = command.subcommands?.find(({ name }) => name === rest[0]);
    if (under === undefined) return { command, rest };
    command = await under.load();
    rest = rest.slice(1);
  }
}

function flagsOf(command: Command, isFirst: boolean): Candidate[] {
  const own = Object.entries(command.options).map(([name, { help }]) => ({ value: `--${name}`, about: help }));
  const version = isFirst ? [{ value: '--version', about: 'Show the version' }] : [];
  return [...own, { value: '--help', about: 'Show the help' }, ...version];
}

/** Undefined: the previous word is not a flag that takes a value. */
async function flagValue(command: Command, word: string, current: string, values: Values): Promise<Answer | undefined> {
  const found = Object.entries(command.options).find(
    ([name, { short }]) => word === `--${name}` || (short !== undefined && word === `-${short}`),
  );
  if (found === undefined || found[1].type !== 'string') return undefined;
  return answerFor(found[0], found[1], current, values, command);
}

async function answerFor(
  name: string,
  option: Option,
  current: string,
  values: Values,
  command: Command,
): Promise<Answer> {
  const place = option.value ?? '';
  if (option.choices !== undefined) return matching(candidates(option.choices), current);
  if (name === 'agent') return matching(await values.agents(), current);
  if (name === 'agents') return lastOfList(await values.agents(), current);
  if (name === 'fail-on') return lastOfList(candidates(failOnWords.filter((word) => word !== 'none')), current);
  if (name === 'model') return matching(await values.models(current, place.includes('PROVIDER')), current);
  if (name === 'budget') return matching(await values.budgets(), current);
  if (name === 'session' || name === 'resume') return matching(await values.sessions(), current);
  if (place.includes('DIALECT')) return matching(values.dialects(name === 'to', place.includes('text')), current);
  if (/\bRUN\b/.test(place) || name === 'parent' || name === 'root')
    return matching(await values.runs(), current, pathsOf(place));
  const fixed = place.includes('|') ? place.split('|').filter((word) => /^[a-z]+$/.test(word)) : [];
  return matching(candidates(command.name === 'run' || fixed.length > 0 ? fixed : []), current, pathsOf(place));
}

async function operand(command: Command, current: string, values: Values): Promise<Answer> {
  const place = command.operands ?? '';
  if (command.name === 'schema') return matching(await values.schemas(), current);
  if (command.name.startsWith('budget ')) return matching(await values.budgets(), current);
  if (/^[a-z|]+$/.test(place)) return matching(candidates(place.split('|')), current);
  if (place.includes('AGENT')) return matching(await values.agents(), current);
  if (/\bRUN\b|\bID\b|\bA B\b/.test(place) && command.takesCommand !== true)
    return matching(await values.runs(), current, pathsOf(place));
  if (command.name === 'check') return matching(await values.runs(), current, 'files');
  return { candidates: [], paths: pathsOf(place) };
}

function pathsOf(place: string): Answer['paths'] {
  if (/FILE|PATH|\.json/.test(place)) return 'files';
  return place.includes('DIR') ? 'folders' : 'none';
}

function matching(answer: Answer, current: string, paths: Answer['paths'] = answer.paths): Answer {
  return { paths, candidates: answer.candidates.filter(({ value }) => value.startsWith(current)) };
}

/** `codex,cl`: completes the last entry of the list. */
function lastOfList(answer: Answer, current: string): Answer {
  const done = current.slice(0, current.lastIndexOf(',') + 1);
  return prefixed(matching(answer, current.slice(done.length)), done);
}

function prefixed(answer: Answer, prefix: string): Answer {
  return { ...answer, candidates: answer.candidates.map((each) => ({ ...each, value: `${prefix}${each.value}` })) };
}
