import type { Command, Option } from './command.ts';
import { commands } from './commands.ts';

/** One table for the help, the README and the man page. */
export const exitCodeTable: readonly (readonly [code: string, name: string, meaning: string])[] = [
  ['0', 'success', 'the agent finished, said or did something, and the process ended cleanly'],
  ['1', 'config', 'missing key, unknown agent or model, agent not installed, bad config file'],
  ['2', 'input', 'bad flag, no prompt, unreadable file'],
  ['3', 'tool', 'the run ended on a failed tool'],
  ['4', 'provider', "the model's side: auth, quota, 5xx, refused, context overflow"],
  ['5', 'cost_limit', 'the cost limit was reached'],
  ['6', 'turn_limit', 'the turn limit was reached'],
  ['7', 'permission', 'the run ended because something was denied'],
  ['8', 'incomplete', 'the stream stopped without an end, the agent crashed, or answered nothing'],
  ['124', 'time_limit', 'a time limit was reached'],
  ['130, 143', 'cancelled', 'SIGINT, SIGTERM'],
];

export function rootHelp(): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  return `runwire: the truth, in JSON, about what an AI agent did

Usage: runwire [OPTIONS] "PROMPT"              run an agent; the word "run" may be left out
       runwire COMMAND [OPTIONS] [FILE…]

Commands:
${commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`).join('\n')}

A run: the prompt is the argument, -p, or stdin; stdout gets the answer, people read stderr.
  runwire --model anthropic/claude-sonnet-4-5 "explain this repository"
  runwire -p "fix the tests" --allow 'bash(npm test:*)' --output-format json

Its formats, one at a time:
  --output-format text|json  The answer (default), or one event a line for CI
  --json                     One JSON response at the end; exit code 0 or 1
  --format json              Bus events: sessions, messages, parts
  --stream-json              Live events and a final report, for dashboards
  --to DIALECT               Any other dialect

Any agent's output goes in, from files or stdin; the dialect is detected.
  codex exec --json "fix the tests" | runwire outcome --exit-code
  runwire convert --to agent-code run.jsonl | jq 'select(.type == "tool_call")'

Options:
  -h, --help     Show this help, or the help of a command
  -v, --version  Show the version

Exit codes of a run, and of \`outcome --exit-code\`:
${exitCodeTable.map(([code, name, meaning]) => `  ${code.padStart(8)}  ${name.padEnd(10)}  ${meaning}`).join('\n')}

Other commands: 0; 2 for bad flags and unreadable input; 1 for a bad ledger, and where their help says so.
More: runwire COMMAND --help
`;
}

export function commandHelp(command: Command): string {
  const rows = Object.entries(command.options).map(([name, option]) => [flagOf(name, option), option.help] as const);
  const width = Math.max(0, ...rows.map(([flag]) => flag.length));
  const options = rows.map(([flag, help]) => `  ${flag.padEnd(width)}  ${help}`).join('\n');
  const under = command.subcommands ?? [];
  const nameWidth = Math.max(0, ...under.map(({ name }) => name.length));
  const subcommands = under.map(({ name, summary }) => `  ${name.padEnd(nameWidth)}  ${summary}`).join('\n');
  const examples = command.examples.map(([line, what]) => `  # ${what}\n  ${line}`).join('\n');
  return `runwire ${command.name}: ${command.summary}

Usage: runwire ${command.name}${under.length === 0 ? '' : ' [COMMAND]'} [OPTIONS]${command.operands === undefined ? '' : ` ${command.operands}`}

${command.description}
${subcommands === '' ? '' : `\nCommands:\n${subcommands}\n`}${options === '' ? '' : `\nOptions:\n${options}\n`}
Examples:
${examples}
`;
}

export function flagOf(name: string, option: Option): string {
  const short = option.short === undefined ? '    ' : `-${option.short}, `;
  return `${short}--${name}${option.value === undefined ? '' : ` ${option.value}`}`;
}
