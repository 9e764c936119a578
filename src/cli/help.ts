import { flagGroups, type Option } from '../contract/field.ts';
import type { Command } from './command.ts';
import { commands } from './commands.ts';
import { commandLine, paragraph, rows } from './layout.ts';

/** One table for the help, the README and the man page. */
export const exitCodeTable: readonly (readonly [code: string, name: string, meaning: string])[] = [
  ['0', 'success', 'the agent finished, said or did something, and the process ended cleanly'],
  ['1', 'config', 'missing key, unknown agent or model, agent not installed, bad config file'],
  ['2', 'input', 'bad flag, no prompt, unreadable file'],
  ['3', 'tool', 'the run ended on a failed tool call'],
  ['4', 'provider', "the model's side: auth, quota, 5xx, refused, context overflow"],
  ['5', 'cost_limit', 'the cost limit was reached'],
  ['6', 'turn_limit', 'the turn limit was reached'],
  ['7', 'permission', 'the run ended because something was denied'],
  ['8', 'incomplete', 'the stream stopped without an end, the agent crashed, or gave no answer'],
  ['9', 'expectation', 'the run finished, but something that --expect asks for does not hold'],
  ['10', 'output', 'stdout could not be written, such as on a full disk'],
  ['124', 'time_limit', 'a time limit was reached'],
  ['130, 143', 'cancelled', 'SIGINT, SIGTERM'],
];

export function rootHelp(width: number): string {
  const text = (words: string): string => paragraph(words, width);
  const code = (line: string): string => commandLine(line, width);
  const table = (pairs: readonly (readonly [string, string])[]): string => rows(pairs, width);
  const exits = exitCodeTable.map(
    ([number, name, meaning]) => [`${number.padStart(8)}  ${name.padEnd(10)}`, meaning] as const,
  );
  return `${text('runwire: the truth, in JSON, about what an AI agent did')}
Usage:
${code('runwire [OPTIONS] "PROMPT"')}${code('runwire COMMAND [OPTIONS] [FILE…]')}
Commands:
${table(commands.map(({ name, summary }) => [name, summary]))}
${text('A run: the prompt is the argument, -p, or stdin. The answer goes to stdout, messages for people to stderr. The word "run" is optional.')}${code('runwire --model anthropic/claude-sonnet-4-5 "explain this repository"')}${code(`runwire -p "fix the tests" --allow 'bash(npm test:*)' --output-format json`)}
Output formats of a run, one at a time:
${table([
  ['--output-format text|json', 'The answer (default), or one event per line, for CI'],
  ['--json', 'One JSON response at the end; exit code 0 or 1'],
  ['--format json', 'Bus events: sessions, messages, parts'],
  ['--stream-json', 'Live events, then the final report, indented'],
  ['--to DIALECT', 'Any other dialect; for dashboards, runwire: every line is one JSON object'],
])}
${text('The output of any agent can be read, from files or stdin; the dialect is detected.')}${code('codex exec --json "fix the tests" | runwire outcome --exit-code')}${code(`runwire convert --to agent-code run.jsonl | jq 'select(.type == "tool_call")'`)}
Options:
${table([
  ['-h, --help', 'Show this help, or the help of a command'],
  ['-v, --version', 'Show the version'],
])}
Exit codes of a run, and of
\`outcome --exit-code\`:
${table(exits)}
${text('Other commands exit with 0; with 2 for bad flags and unreadable input; with 1 for a bad ledger, and where their help says so.')}More: runwire COMMAND --help
`;
}

/** A list that fits on a screen needs no headings. */
const fewFlags = 20;

/** The first screen of a command with many flags shows the common ones; `isWhole` shows all. */
export function commandHelp(command: Command, width: number, isWhole = false): string {
  const under = command.subcommands ?? [];
  const all = optionGroups(command);
  const isShort = all.length === 1;
  const groups = all.map(({ title, options }) => {
    const shown = options.filter(([, { common }]) => isShort || isWhole || common);
    return { title, pairs: shown.map(([name, option]) => [flagOf(name, option), option.help] as const) };
  });
  const beside = groups.flatMap(({ pairs }) => pairs);
  const section = (title: string, pairs: readonly (readonly [string, string])[], among = pairs): string =>
    pairs.length === 0 ? '' : `\n${title}:\n${rows(pairs, width, among)}`;
  const rest = isShort || isWhole ? '' : `\n${paragraph(`Every flag: runwire ${command.name} --help --all`, width)}`;
  const usage = [
    'runwire',
    command.name,
    ...(under.length === 0 ? [] : ['[COMMAND]']),
    '[OPTIONS]',
    command.operands ?? '',
  ].join(' ');
  const examples = command.examples.map(([line, what]) => paragraph(what, width, '  # ') + commandLine(line, width));
  return `${paragraph(`runwire ${command.name}: ${command.summary}`, width)}
${paragraph(`Usage: ${usage.trim()}`, width)}
${paragraph(command.description, width)}${section(
    'Commands',
    under.map(({ name, summary }) => [name, summary]),
  )}${groups.map(({ title, pairs }) => section(title, pairs, beside)).join('')}${rest}
Examples:
${examples.join('')}`;
}

/** The flags of a command under their headings, in the order of the headings; a command with few has one heading. */
export function optionGroups({
  options,
}: Command): { title: string; options: (readonly [name: string, option: Option])[] }[] {
  const all = Object.entries(options);
  if (all.length <= fewFlags) return [{ title: 'Options', options: all }];
  const titles = [...flagGroups, undefined];
  return titles.flatMap((group) => {
    const own = all.filter(([, option]) => option.group === group);
    return own.length === 0 ? [] : [{ title: group ?? 'More', options: own }];
  });
}

export function flagOf(name: string, option: Option): string {
  const short = option.short === undefined ? '    ' : `-${option.short}, `;
  return `${short}--${name}${option.value === undefined ? '' : ` ${option.value}`}`;
}
